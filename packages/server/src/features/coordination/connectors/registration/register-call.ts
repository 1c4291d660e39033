import { create, toJson } from '@bufbuild/protobuf';
import { RegisterClusterRequestSchema } from '@svc/api/external';
import { type Clock, isFault } from '../../../../base/index.ts';
import type { ResourceKey } from '../../../../store/contracts/index.ts';
import { registrationIdOf } from '../registration-id.ts';
import type { RegisteredAs } from './class-state.ts';
import { type AttemptOutcome, failedAttempt, judgeAnswer } from './registration-rules.ts';

/** `fetch` to addresses that namespaces name; what a trusted namespace names may be anywhere. */
export type OutboundFetch = (isTrusted: boolean) => (url: string, init: RequestInit) => Promise<Response>;

export interface RegisterCallDeps {
  readonly fetch: OutboundFetch;
  readonly clock: Clock;
  /** `limits.registerTimeout`. */
  readonly timeoutMs: number;
}

interface RegisterCall {
  readonly key: ResourceKey;
  readonly endpoint: string;
  readonly apiKey: string | undefined;
  readonly as: RegisteredAs;
  /** The callback secret. */
  readonly secret: string;
  readonly signal: AbortSignal;
}

/** Classes of this namespace may be at private addresses. */
export const TRUSTED_NAMESPACE = 'system';
const ANSWER_BYTES = 64 * 1_024;
const LATE = 'timeout';

/** Registers the class with its service. What comes back never contains the key or the secret. */
export const registerCall = async (deps: RegisterCallDeps, call: RegisterCall): Promise<AttemptOutcome> => {
  const { key, endpoint, apiKey } = call;
  const control = new AbortController();
  const cancel = deps.clock.after(deps.timeoutMs, () => control.abort(LATE));
  try {
    const answer = await deps.fetch(key.namespace === TRUSTED_NAMESPACE)(`${endpoint}/v1/clusters/register`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'svc-connector-protocol': 'v1',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: requestBody(call),
      signal: AbortSignal.any([control.signal, call.signal]),
    });
    return judgeAnswer(registrationIdOf(key), answer.status, await readText(answer));
  } catch (error) {
    if (control.signal.aborted) return failedAttempt('Timeout', `no answer within ${deps.timeoutMs / 1_000} s`, false);
    if (call.signal.aborted) throw error;
    return unreachable(error);
  } finally {
    cancel();
  }
};

const requestBody = ({ key, as, secret }: RegisterCall): string =>
  JSON.stringify(
    toJson(
      RegisterClusterRequestSchema,
      create(RegisterClusterRequestSchema, {
        clusterId: as.clusterId,
        registrationId: registrationIdOf(key),
        namespace: key.namespace,
        connectorClass: key.name,
        callbackBaseUrl: as.baseUrl,
        callbackAuthKind: 'bearer',
        callbackAuthKey: secret,
      }),
    ),
  );

/** The start of the answer; a longer one is not JSON of the contract. */
const readText = async (answer: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > ANSWER_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** Codes of connections that never came about, so that the service cannot have taken anything. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ADDRESS_REFUSED',
]);

const unreachable = (error: unknown): AttemptOutcome => {
  const code = causeCode(error);
  return failedAttempt('EndpointUnreachable', `the service cannot be reached: ${code}`, NEVER_SENT.has(code));
};

/** The code of a failed request, such as ECONNREFUSED, without texts that may quote what was sent. */
const causeCode = (error: unknown): string => {
  const { cause = error } = error as { readonly cause?: unknown };
  if (isFault(cause)) return cause.reason;
  const { code, name } = cause as { readonly code?: unknown; readonly name?: unknown };
  return String(code ?? name);
};
