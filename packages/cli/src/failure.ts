import { isSvcError, type SvcError } from '@svc/client/error';

/** How the program ends. */
export const exitCodes = {
  ok: 0,
  refused: 1,
  partial: 2,
  connection: 3,
  notFound: 4,
  timeout: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure that is explained to the person and ends the command. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;
  /** What to do next; shown below the message. */
  readonly hint: string | undefined;
  /** A word that may be a typing error: the nearest of the candidates is suggested. */
  readonly slip: Slip | undefined;

  constructor(message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CommandFailure';
    this.exitCode = options.exitCode ?? exitCodes.refused;
    this.hint = options.hint;
    this.slip = options.slip;
  }
}

interface Slip {
  readonly word: string;
  readonly candidates: readonly string[];
}

interface FailureOptions {
  readonly exitCode?: ExitCode;
  readonly hint?: string | undefined;
  readonly slip?: Slip;
  readonly cause?: unknown;
}

/** What is said about a failure, line by line, and the exit code. */
interface Explanation {
  readonly lines: readonly string[];
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
}

/** Puts any failure into words for the person at the terminal; undefined for a mistake in this program. */
export const explain = (error: unknown): Explanation | undefined => {
  if (error instanceof CommandFailure)
    return { lines: error.message.split('\n'), hint: error.hint, exitCode: error.exitCode };
  if (isSvcError(error)) return explainCall(error);
  if (error instanceof Error && error.name === 'ConfigError') {
    return { lines: error.message.split('\n'), hint: 'svc config check', exitCode: exitCodes.refused };
  }
  return explainSystem(error);
};

/** What the system of this machine says of a file, by the code of its error. */
const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'you may not read or write it',
  EPERM: 'the system does not allow it',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is a file, not a directory',
  ENOENT: 'it is not there',
  EEXIST: 'it is there already',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your share of the disk is used up',
  EFBIG: 'the file would be too large',
  EIO: 'the disk does not work',
  EMFILE: 'too many files are open',
  ELOOP: 'its links lead in a circle',
};

const explainSystem = (error: unknown): Explanation | undefined => {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error || 'path' in error)) return undefined;
  const words = SYSTEM_WORDS[String(error.code)];
  if (words === undefined) return undefined;
  // Only a file in the place of a directory is in the way of one that is to be made.
  if (error.code === 'EEXIST' && 'syscall' in error && error.syscall === 'mkdir' && 'path' in error)
    return {
      lines: [`${String(error.path)} is a file, not a directory`],
      hint: undefined,
      exitCode: exitCodes.refused,
    };
  // A file that is open already has no name any more.
  const subject = 'path' in error ? `${String(error.path)}: ` : '';
  return {
    lines: [`${subject}${words} (${String(error.code)})`],
    hint: undefined,
    exitCode: exitCodes.refused,
  };
};

const explainCall = (error: SvcError): Explanation => {
  const reason = error.reason === '' ? error.code : error.reason;
  const violations = error.violations.map(
    (violation) => `  ${violation.field}: ${violation.description} (${violation.reason})`,
  );
  // The word of a single field tells more than that some field is invalid.
  const [only] = error.violations;
  const first =
    violations.length > 1
      ? `${violations.length} fields are refused (${reason})`
      : describeCall(error, only === undefined || only.reason === '' ? reason : only.reason);
  const request = isPuzzling(error) ? [`  request ${error.requestId}`] : [];
  return {
    lines: [first, ...(violations.length > 1 ? violations : []), ...request],
    hint: hintOf(error),
    exitCode: exitCodeOf(error),
  };
};

/** A failure without an answer has words enough; an answer is named by its reason too. */
const describeCall = (error: SvcError, reason: string): string =>
  isLocal(error) ? error.message : `${error.message} (${reason})`;

/** Failures that the log of the server explains better than the answer does. */
const isPuzzling = (error: SvcError): boolean =>
  error.requestId !== '' && !isLocal(error) && ['INTERNAL', 'UNKNOWN', 'DATA_LOSS', 'UNAVAILABLE'].includes(error.code);

/** Failures that no server answered. */
const isLocal = (error: SvcError): boolean => error.httpStatus === undefined;

const exitCodeOf = (error: SvcError): ExitCode => {
  switch (error.code) {
    case 'NOT_FOUND':
      return error.reason === 'ROUTE_UNKNOWN' ? exitCodes.refused : exitCodes.notFound;
    case 'UNAVAILABLE':
    case 'UNAUTHENTICATED':
    case 'PERMISSION_DENIED':
      return exitCodes.connection;
    case 'DEADLINE_EXCEEDED':
      return exitCodes.timeout;
    case 'CANCELLED':
      return exitCodes.interrupted;
    default:
      return exitCodes.refused;
  }
};

const hints: Readonly<Record<string, string>> = {
  UNREACHABLE: 'start a server with `svc up`, or name another one with --server or `svc login`',
  INTERRUPTED: 'the server may be restarting: try again, or look with `svc doctor`',
  CREDENTIALS_MISSING: 'sign in with `svc login`, or pass --token',
  CREDENTIALS_INVALID: 'sign in again with `svc login`',
  CREDENTIALS_EXPIRED: 'sign in again with `svc login`',
  KEY_REVOKED: 'ask for a new key, then `svc login`',
  ROLE: '`svc whoami` shows what you may do',
  SCOPE: '`svc whoami` shows where you may do what',
  NAMESPACE_MISSING: 'create it with `svc create namespace {ns}`',
  NAMESPACE_NOT_FOUND: '`svc get namespaces` lists those that exist',
  NAMESPACE_DELETED: 'creating it again brings it and its contents back: `svc create namespace {ns}`',
  AGENT_NOT_FOUND: '`svc get agents` lists those that exist; -n chooses the namespace',
  AGENT_NOT_READY: '`svc describe agent NAME` says what is missing',
  SESSION_NOT_FOUND: '`svc session list` shows those that exist',
  API_KEY_NOT_FOUND: '`svc apikey list --revoked` lists all keys with their ids',
  WORKER_NOT_FOUND: '`svc worker list` lists those that exist',
  CHANNEL_CLOSED: 'open it with `svc channel open NAME`',
  SESSION_BUSY: '`svc session stop ID` ends the running answer',
  PARENT_MISSING: 'add --recursive to create the namespaces above it too',
  CONFLICT: 'someone changed it meanwhile: read it again, then repeat',
  ROUTE_UNKNOWN: 'write the address without a path, such as --server http://127.0.0.1:7420',
  METHOD_UNKNOWN: 'this server does not have that operation; `svc version` compares the versions',
};

/** What lists resources of a kind, by the first part of the reason that one is missing. */
const lists: Readonly<Record<string, string>> = {
  CHANNEL: 'svc get channels',
  SUBSCRIPTION: 'svc get channelsubscriptions',
  SECRET: 'svc secret list',
  FILE: 'svc file list',
  KNOWLEDGE: 'svc knowledge list',
  SCHEDULE: 'svc get schedules',
  TEMPLATE: 'svc get templates',
  MCP_SERVER: 'svc get mcpservers',
};

/** What refuses a connection before anything is said, by the words of Node.js. */
const TLS_HINTS: readonly (readonly [words: RegExp, hint: string])[] = [
  [/ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|EPROTO/, 'that server speaks http, not https'],
  [/ALTNAME/, 'its certificate is for another name: write the address as the certificate has it'],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/, 'NODE_EXTRA_CA_CERTS=FILE names a certificate authority to trust'],
];

const hintOf = (error: SvcError): string | undefined => {
  const tls = isLocal(error) ? TLS_HINTS.find(([words]) => words.test(error.message)) : undefined;
  if (tls !== undefined) return tls[1];
  const byReason = hints[error.reason];
  if (byReason !== undefined) return byReason.replace('{ns}', error.metadata['ns'] ?? error.metadata['name'] ?? 'NAME');
  const [, kind] = /^([A-Z_]+)_NOT_FOUND$/.exec(error.reason) ?? [];
  const list = kind === undefined ? undefined : lists[kind];
  if (list !== undefined) return `\`${list}\` lists those that exist; -n chooses the namespace`;
  if (error.violations.some(({ field }) => field === 'labelSelector'))
    return 'write -l as key=value,other!=value or key (key exists)';
  if (error.violations.some(({ field }) => field === 'kind')) return '`svc get --help` lists the kinds';
  if (error.code === 'UNAVAILABLE') return '`svc doctor` searches for the cause';
  return error.code === 'INTERNAL' ? 'the log of the server has the cause under that request id' : undefined;
};
