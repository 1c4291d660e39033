import { fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type { Method } from '@svc/api/methods';
import type { ClientAnswer } from '../environment.ts';
import { SvcError } from '../error.ts';
import { type Connection, commonHeaders } from './connection.ts';
import { connectError } from './error-body.ts';
import { networkError } from './network-error.ts';

export interface UnaryRequest {
  readonly method: Method;
  readonly message: Message;
  readonly headers: Readonly<Record<string, string>>;
  /** Time for this try; the server is told it too. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The server answers its own deadline first; this much later the call is given up here. */
const DEADLINE_GRACE_MS = 1_000;

/** One try of a call in the Connect protocol with binary messages; throws SvcError. */
export const callUnary = async (connection: Connection, request: UnaryRequest): Promise<Message> => {
  const { clock, fetch } = connection.environment;
  const abort = new AbortController();
  let isTimeout = false;
  const cancelTimer = clock.after(request.timeoutMs + DEADLINE_GRACE_MS, () => {
    isTimeout = true;
    abort.abort();
  });
  const onAbort = (): void => abort.abort();
  if (request.signal?.aborted === true) onAbort();
  request.signal?.addEventListener('abort', onAbort);
  try {
    const response = await fetch(`${connection.baseUrl}${request.method.rpcPath}`, {
      method: 'POST',
      headers: {
        ...(await commonHeaders(connection)),
        ...request.headers,
        'content-type': 'application/proto',
        'connect-protocol-version': '1',
        'connect-timeout-ms': String(request.timeoutMs),
      },
      body: toBinary(request.method.input, request.message) as Uint8Array<ArrayBuffer>,
      signal: abort.signal,
    });
    return await readAnswer(response, request.method);
  } catch (error) {
    if (isTimeout)
      throw new SvcError({
        code: 'DEADLINE_EXCEEDED',
        reason: 'DEADLINE',
        message: timeoutText(request),
        cause: error,
      });
    if (request.signal?.aborted === true) throw cancelled(error);
    throw networkError(error, connection.baseUrl);
  } finally {
    cancelTimer();
    request.signal?.removeEventListener('abort', onAbort);
  }
};

const readAnswer = async (response: ClientAnswer, method: Method): Promise<Message> => {
  const facts = { status: response.status, requestId: response.headers.get('x-request-id') ?? '' };
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 200 && type.startsWith('application/proto')) {
    return fromBinary(method.output, new Uint8Array(await response.arrayBuffer()));
  }
  throw connectError(await response.text(), facts);
};

const timeoutText = (request: UnaryRequest): string =>
  `${request.method.name} was not answered within ${request.timeoutMs / 1_000} s; a write may have happened`;

/** The caller gave up. */
export const cancelled = (cause: unknown): SvcError =>
  new SvcError({ code: 'CANCELLED', reason: 'ABORTED', message: 'the call was cancelled', cause });
