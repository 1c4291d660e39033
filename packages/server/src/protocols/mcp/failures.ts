import type { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import { isFault } from '../../base/index.ts';
import { McpFailure, type McpFailureKind } from './contract.ts';

/** How many causes of an error are examined. */
const CAUSES = 8;

const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const SCOPE_CHARACTERS_MAX = 1_000;

/** Codes of the library and what they mean to us. */
const SDK_KINDS: Partial<Record<`${SdkErrorCode}`, McpFailureKind>> = {
  REQUEST_TIMEOUT: 'timeout',
  CONNECTION_CLOSED: 'lost',
  NOT_CONNECTED: 'lost',
  SEND_FAILED: 'lost',
  INVALID_RESULT: 'malformed',
  UNSUPPORTED_RESULT_TYPE: 'malformed',
  LIST_PAGINATION_EXCEEDED: 'malformed',
  CLIENT_HTTP_UNEXPECTED_CONTENT: 'malformed',
  CLIENT_HTTP_AUTHENTICATION: 'auth',
  CLIENT_HTTP_FORBIDDEN: 'auth',
};

const TEXTS: Readonly<Record<McpFailureKind, string>> = {
  connect: 'the server could not be reached',
  refused: 'the address of the server is not allowed',
  auth: 'the server does not accept the credentials',
  timeout: 'the server did not answer in time',
  lost: 'the connection to the server ended',
  expired: 'the server ended the session',
  malformed: 'the server does not keep to the protocol',
  rejected: 'the server answered with an error',
};

/** JSON-RPC: what the library throws for a result that differs from the tool's own schema, too. */
const INVALID_PARAMS = -32_602;
const INVALID_PARAMS_TEXT = 'the server refused the arguments, or its answer does not match the schema of the tool';

/** The failure that an error of the library, of the network or of a signal stands for. */
export const failureOf = (error: unknown): McpFailure => {
  const chain = causes(error);
  const own = chain.find((one) => one instanceof McpFailure);
  if (own instanceof McpFailure) return own;
  const fault = chain.find(isFault);
  if (fault !== undefined) return new McpFailure('refused', fault.message, { cause: error });
  const status = chain.map(statusOf).find((one) => one !== undefined);
  const kind = kindOf(chain, status);
  const detail = detailOf(chain, status);
  const text = kind === 'malformed' && chain.some(isInvalidParams) ? INVALID_PARAMS_TEXT : TEXTS[kind];
  const requiredScope = kind === 'auth' ? scopeOf(chain) : '';
  return new McpFailure(kind, detail === '' ? text : `${text} (${detail})`, { cause: error, status, requiredScope });
};

/** What a server says that the token lacks; '' unless all of it can be asked for (RFC 6749, section 3.3). */
const scopeOf = (chain: readonly unknown[]): string => {
  const found = chain.find((error) => (error as Partial<Error>).name === 'InsufficientScopeError');
  const { requiredScope } = (found ?? {}) as { readonly requiredScope?: unknown };
  return typeof requiredScope === 'string' && requiredScope.length <= SCOPE_CHARACTERS_MAX && SCOPES.test(requiredScope)
    ? requiredScope
    : '';
};

/** The same for an attempt to connect: no session is open yet that the server could have forgotten. */
export const connectFailureOf = (error: unknown): McpFailure => {
  const failure = failureOf(error);
  if (failure.kind !== 'expired') return failure;
  return new McpFailure('connect', 'there is no MCP server at this address (HTTP 404)', { cause: error });
};

const kindOf = (chain: readonly unknown[], status: number | undefined): McpFailureKind => {
  if (status === 401 || status === 403 || chain.some(isUnauthorized)) return 'auth';
  if (status === 404) return 'expired';
  for (const error of chain) {
    const { name, code } = error as Partial<SdkError & ProtocolError>;
    if (name === 'TimeoutError') return 'timeout';
    if (name === 'AbortError') return 'lost';
    if (typeof code === 'number' && name === 'ProtocolError') return isInvalidParams(error) ? 'malformed' : 'rejected';
    const known = typeof code === 'string' ? SDK_KINDS[code as SdkErrorCode] : undefined;
    if (known !== undefined) return known;
  }
  return 'connect';
};

const isUnauthorized = (error: unknown): boolean => {
  const { name } = error as Partial<Error>;
  return name === 'UnauthorizedError' || name === 'InsufficientScopeError';
};

const isInvalidParams = (error: unknown): boolean => {
  const { name, code } = error as Partial<ProtocolError>;
  return name === 'ProtocolError' && code === INVALID_PARAMS;
};

const statusOf = (error: unknown): number | undefined => {
  const { status } = error as { readonly status?: unknown };
  return typeof status === 'number' ? status : undefined;
};

/** HTTP status, or the code of the system such as ECONNREFUSED; neither holds anything that the server wrote. */
const detailOf = (chain: readonly unknown[], status: number | undefined): string => {
  if (status !== undefined) return `HTTP ${status}`;
  for (const error of [...chain].reverse()) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code === 'string' && /^(E[A-Z]{3,}|[A-Z]+_[A-Z_]*CERT[A-Z_]*|CERT_[A-Z_]+|UND_[A-Z_]+)$/.test(code))
      return code;
  }
  return '';
};

const causes = (error: unknown): readonly unknown[] => {
  const chain: unknown[] = [];
  let next: unknown = error;
  while (typeof next === 'object' && next !== null && chain.length < CAUSES) {
    chain.push(next);
    const { cause, data, errors } = next as { cause?: unknown; data?: { cause?: unknown }; errors?: unknown };
    next = cause ?? data?.cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return chain;
};
