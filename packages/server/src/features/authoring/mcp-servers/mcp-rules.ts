import type { McpAuthBrokerSpec, McpServerBindingSpec, McpServerSpec } from '@svc/api/resources';
import { type FieldViolation, violation } from '../../../base/index.ts';
import type { OriginGrant } from '../../../controllers/contract.ts';
import { isHttpUrl, isName, isSecretReference, nameForm, parseSecretReference } from '../../../resources/index.ts';
import { checkAuthAnnotations, checkBrokerIsSet, checkSignInUse, effectiveAuth } from './auth-rules.ts';

type TextMap = Readonly<Record<string, string>>;

const HTTP: ReadonlySet<string> = new Set(['http', 'streamable-http', 'streamable_http', 'sse']);
const STDIO = 'stdio';
const BROKERS: ReadonlySet<string> = new Set(['', 'http_bearer']);

/** Which era of the protocol is spoken: `auto` (default) tries the newer one first. */
export const ERA_ANNOTATION = 'option.svc/mcp-protocol';
const ERAS: ReadonlySet<string> = new Set(['auto', '2026', '2025']);

/** Faults of what annotations say about the connection. */
const checkAnnotations = (annotations: TextMap): readonly FieldViolation[] => [
  ...(ERAS.has(annotations[ERA_ANNOTATION] ?? 'auto')
    ? []
    : [violation(`metadata.annotations[${ERA_ANNOTATION}]`, 'must be auto, 2026 or 2025')]),
  ...checkAuthAnnotations(annotations),
];

/** True for the transports that speak HTTP; they are stored as written. */
export const isHttpTransport = (transport: string): boolean => HTTP.has(transport);

/** True for servers that are a process of this machine. */
export const isStdio = (transport: string): boolean => transport === STDIO;

/** All faults of a server's fields. */
export const checkMcpServer = (spec: McpServerSpec, annotations: TextMap = {}): readonly FieldViolation[] => [
  ...checkAnnotations(annotations),
  ...checkTransport(spec.transport),
  ...checkTarget(spec),
  ...checkBroker(spec.authBroker),
  ...(spec.authBroker === undefined ? [] : checkBrokerUse(spec)),
  ...checkServerAuth(spec, annotations),
];

const checkServerAuth = (spec: McpServerSpec, annotations: TextMap): readonly FieldViolation[] => {
  const facts = { annotations, hasBroker: spec.authBroker !== undefined };
  const { transport, headers } = spec;
  const isSignIn = effectiveAuth(facts).auth === 'oauth';
  return [
    ...checkBrokerIsSet(facts),
    ...(isSignIn ? checkSignInUse({ isHttp: isHttpTransport(transport), headers }) : []),
  ];
};

/** All faults of a binding's own fields; those that depend on the server come with `checkBrokerUse`. */
export const checkMcpBinding = (spec: McpServerBindingSpec, annotations: TextMap = {}): readonly FieldViolation[] => [
  ...checkAnnotations(annotations),
  ...(spec.serverRef === '' || isName('plain', spec.serverRef)
    ? []
    : [violation('spec.serverRef', `must be ${nameForm.plain}`)]),
  ...checkBroker(spec.authBroker),
];

const checkTransport = (transport: string): readonly FieldViolation[] =>
  isHttpTransport(transport) || isStdio(transport)
    ? []
    : [violation('spec.transport', `must be one of ${[...HTTP, STDIO].join(', ')}`)];

const checkTarget = ({ transport, target }: McpServerSpec): readonly FieldViolation[] => {
  if (target.trim() === '') return [violation('spec.target', 'is required')];
  if (isHttpTransport(transport) && !isHttpUrl(target))
    return [violation('spec.target', 'must be an absolute http(s) URL')];
  return [];
};

/** True for an address that is in a Secret. */
const isReference = (url: string): boolean => isSecretReference(url) && parseSecretReference(url) !== undefined;

const checkBroker = (broker: McpAuthBrokerSpec | undefined): readonly FieldViolation[] => {
  if (broker === undefined) return [];
  return [
    ...(BROKERS.has(broker.kind) ? [] : [violation('spec.authBroker.kind', 'must be http_bearer or empty')]),
    ...(isHttpUrl(broker.url) || isReference(broker.url)
      ? []
      : [violation('spec.authBroker.url', 'must be an absolute http(s) URL or secret://name/key')]),
    ...(broker.cacheTtlSeconds >= 0 ? [] : [violation('spec.authBroker.cacheTtlSeconds', 'must not be negative')]),
  ];
};

/** What a broker cannot be combined with: another transport, a static Authorization header. */
export const checkBrokerUse = (server: {
  readonly transport: string;
  readonly headers: Readonly<Record<string, unknown>>;
}): readonly FieldViolation[] => {
  const isStatic = Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization');
  return [
    ...(isHttpTransport(server.transport) ? [] : [violation('spec.authBroker', 'needs transport http')]),
    ...(isStatic ? [violation('spec.authBroker', 'excludes a static Authorization header')] : []),
  ];
};

/**
 * Of a binding: the server, `namespace/name`, whose process its arguments and variables are for. svc writes it once the writer was allowed
 * to declare processes.
 */
export const PROCESS_ANNOTATION = 'svc/process-of';

/** True for a binding that decides what a process does. */
export const changesProcess = ({ args, headers }: Pick<McpServerBindingSpec, 'args' | 'headers'>): boolean =>
  args.length > 0 || Object.keys(headers).length > 0;

/** Who may write a server that runs as a process: an unscoped admin, or anyone who may write in a listed namespace. */
export const mayWriteStdio = (
  namespace: string,
  writer: { readonly grants: readonly OriginGrant[]; readonly stdioNamespaces: readonly string[] },
): boolean =>
  writer.stdioNamespaces.includes(namespace) ||
  writer.grants.some((grant) => grant.role === 'admin' && grant.namespace === undefined);
