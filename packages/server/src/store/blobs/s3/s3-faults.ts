import { Fault, isFault } from '../../../base/index.ts';

/** What is wrong with the object store; all but `unreachable` is for the operator to mend. */
type ProblemKind = 'bucket' | 'access' | 'credentials' | 'region' | 'certificate' | 'unreachable';

const TEXTS: Readonly<Record<Exclude<ProblemKind, 'unreachable'>, string>> = {
  bucket: 'objects.bucket: the object store has no such bucket',
  access:
    'the object store refuses access: check objects.accessKey and objects.secretKey, and their rights on objects.bucket',
  credentials:
    'no credentials for the object store: set objects.accessKey and objects.secretKey, or provide those of the machine',
  region: 'objects.region: the bucket lies in another region',
  certificate: 'objects.endpoint: the certificate of the object store is not valid, or its authority is not known here',
};

/** What the S3 client throws, as far as it matters here. */
interface ClientFailure {
  readonly name: string;
  readonly code: string | undefined;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
}

const REGION: ReadonlySet<string> = new Set(['PermanentRedirect', 'AuthorizationHeaderMalformed']);
const CREDENTIALS: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError']);
const TIMEOUTS: ReadonlySet<string> = new Set(['TimeoutError', 'AbortError']);

/** What TLS calls a certificate it does not take. */
const CERTIFICATE = /CERT|UNABLE_TO_(?:GET|VERIFY)/;

/** Undefined for an error that has nothing to do with the service: an error with a path is one of our own files. */
const failureOf = (error: unknown): ClientFailure | undefined => {
  if (!(error instanceof Error) || isFault(error) || 'path' in error) return undefined;
  const { name, code, $metadata, $response } = error as Error & {
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly $response?: { readonly statusCode?: number };
  };
  const status = $metadata?.httpStatusCode ?? $response?.statusCode;
  const isKnown = status !== undefined || CREDENTIALS.has(name) || TIMEOUTS.has(name) || typeof code === 'string';
  return isKnown ? { name, code: typeof code === 'string' ? code : undefined, status } : undefined;
};

/**
 * True when the service says by name that it has no such key. A bare 404 may come from anything on the way, and bytes that
 * are said to be gone make a file Failed.
 */
export const isMissing = (error: unknown): boolean => failureOf(error)?.name === 'NoSuchKey';

/** The same for `HEAD`, whose answers have no body to name anything in. */
export const isMissingHead = (error: unknown): boolean => failureOf(error)?.status === 404;

/** True when the object changed since it was read. */
export const isChanged = (error: unknown): boolean => failureOf(error)?.status === 412;

/** True when the same request may succeed later without anybody mending anything. */
export const isPassing = (error: unknown): boolean => {
  const failure = failureOf(error);
  return failure !== undefined && kindOf(failure) === 'unreachable';
};

const isBucketMissing = ({ name }: ClientFailure): boolean => name === 'NoSuchBucket';

const kindOf = (failure: ClientFailure): ProblemKind => {
  if (CREDENTIALS.has(failure.name)) return 'credentials';
  if (REGION.has(failure.name) || failure.status === 301) return 'region';
  if (isBucketMissing(failure)) return 'bucket';
  if (CERTIFICATE.test(failure.code ?? '')) return 'certificate';
  return failure.status === 401 || failure.status === 403 ? 'access' : 'unreachable';
};

const textOf = (kind: ProblemKind, { status }: ClientFailure): string => {
  if (kind !== 'unreachable') return TEXTS[kind];
  return status === undefined
    ? 'the object store cannot be reached'
    : `the object store answered HTTP ${status} instead of doing what it was asked`;
};

/**
 * What callers see of an error of the service: UNAVAILABLE STORAGE, with the key of the configuration to look at where there
 * is one. Faults and errors of other origin pass through. No text of the service is shown: it may quote credentials.
 */
export const toStorageFault = (error: unknown): unknown => {
  const failure = failureOf(error);
  return failure === undefined
    ? error
    : new Fault('UNAVAILABLE', 'STORAGE', textOf(kindOf(failure), failure), { cause: error });
};

/** The same when a server starts: FAILED_PRECONDITION OBJECTS_UNUSABLE for what an operator has to mend first. */
export const toStartFault = (error: unknown): unknown => {
  const found = failureOf(error);
  if (found === undefined) return error;
  // A bucket is the only thing asked for when a server starts, and its absence has no name in an answer without a body.
  const failure = found.status === 404 ? { ...found, name: 'NoSuchBucket' } : found;
  const kind = kindOf(failure);
  if (kind === 'unreachable') return toStorageFault(error);
  return new Fault('FAILED_PRECONDITION', 'OBJECTS_UNUSABLE', textOf(kind, failure), { cause: error });
};
