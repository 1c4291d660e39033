import type { ClientAnswer } from '../environment.ts';
import { SvcError } from '../error.ts';
import { type Connection, commonHeaders } from './connection.ts';
import { connectError } from './error-body.ts';
import { networkError } from './network-error.ts';

/** One attempt of a call: its bytes, and how the bytes of the answer are read. */
interface UnaryRequest<T> {
  /** Such as `GetAgent`. */
  readonly operation: string;
  /** Such as `/svc.gateway.GatewayService/GetAgent`. */
  readonly rpcPath: string;
  /** Of the request and of a successful answer. */
  readonly contentType: 'application/proto' | 'application/json';
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly read: (answer: ClientAnswer) => Promise<T>;
  readonly headers: Readonly<Record<string, string>>;
  /** Time limit of this attempt; the server gets it too. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The server ends the call at its deadline; the client gives up this much later. */
const DEADLINE_GRACE_MS = 1_000;

/** One attempt of a call in the Connect protocol; throws SvcError. */
export const callUnary = async <T>(connection: Connection, request: UnaryRequest<T>): Promise<T> => {
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
    const response = await fetch(`${connection.baseUrl}${request.rpcPath}`, {
      method: 'POST',
      headers: {
        ...(await commonHeaders(connection)),
        ...request.headers,
        'content-type': request.contentType,
        'connect-protocol-version': '1',
        'connect-timeout-ms': String(request.timeoutMs),
      },
      body: request.body,
      signal: abort.signal,
    });
    return await readAnswer(response, request);
  } catch (error) {
    if (isTimeout)
      throw new SvcError({
        code: 'DEADLINE_EXCEEDED',
        reason: 'DEADLINE',
        message: timeoutText(request.operation, request.timeoutMs),
        cause: error,
      });
    if (request.signal?.aborted === true) throw cancelled(error);
    throw networkError(error, connection.baseUrl);
  } finally {
    cancelTimer();
    request.signal?.removeEventListener('abort', onAbort);
  }
};

const readAnswer = async <T>(response: ClientAnswer, { contentType, read }: UnaryRequest<T>): Promise<T> => {
  const type = response.headers.get('content-type') ?? '';
  if (response.status === 200 && type.startsWith(contentType)) return read(response);
  const requestId = response.headers.get('x-request-id') ?? '';
  throw await connectError(await response.text(), { status: response.status, requestId });
};

const timeoutText = (operation: string, timeoutMs: number): string =>
  `${operation} was not answered within ${timeoutMs / 1_000} s; a write may have happened`;

/** The caller gave up. */
export const cancelled = (cause: unknown): SvcError =>
  new SvcError({ code: 'CANCELLED', reason: 'ABORTED', message: 'the call was cancelled', cause });
