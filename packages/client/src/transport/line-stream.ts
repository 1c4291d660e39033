import type { ClientAnswer } from '../environment.ts';
import { SvcError } from '../error.ts';
import type { Connection } from './connection.ts';
import { errorOfObject } from './error-body.ts';
import { isRecord } from './json-value.ts';
import { networkError } from './network-error.ts';
import { openRoute } from './route-request.ts';
import { cancelled } from './unary-call.ts';

/** A stream of the REST binding. */
interface StreamRequest<T> {
  /** GET or POST. */
  readonly verb: string;
  /** Including the query. */
  readonly path: string;
  /** JSON text of a POST. */
  readonly body?: string | undefined;
  /** Reads one line, which is an object. */
  readonly decode: (line: object) => T;
  readonly signal: AbortSignal | undefined;
  /** Called when the server has accepted the subscription: every later event reaches this stream. */
  readonly onOpen?: (() => void) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The server sends at least a blank line every 15 s; three missing ones mean that the connection is dead. */
const SILENCE_LIMIT_MS = 45_000;

/**
 * One server stream as JSON lines over REST. Ends when the server ends it normally; throws SvcError for its error line, for
 * a broken or silent connection (UNAVAILABLE) and when the caller aborts. Leaving the loop closes the connection.
 */
export async function* streamLines<T>(
  connection: Connection,
  request: StreamRequest<T>,
): AsyncGenerator<T, void, undefined> {
  const abort = new AbortController();
  const onAbort = (): void => abort.abort();
  if (request.signal?.aborted === true) onAbort();
  request.signal?.addEventListener('abort', onAbort);
  const silence = watchSilence(connection, abort);
  try {
    const headers = { ...request.headers, accept: 'application/x-ndjson' };
    const response = await openRoute(connection, { ...request, headers, signal: abort.signal });
    request.onOpen?.();
    const requestId = response.headers.get('x-request-id') ?? '';
    for await (const line of readLines(response, silence.heard)) yield request.decode(lineObject(line, requestId));
  } catch (error) {
    if (request.signal?.aborted === true) throw cancelled(error);
    if (silence.isSilent()) throw silenceError(error);
    throw networkError(error, connection.baseUrl);
  } finally {
    silence.stop();
    request.signal?.removeEventListener('abort', onAbort);
    abort.abort();
  }
}

/** Lines that are not blank, cut from the bytes as they arrive; `heard` is called for every chunk. */
async function* readLines(response: ClientAnswer, heard: () => void): AsyncGenerator<string, void, undefined> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body) {
    heard();
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    for (const piece of pieces) if (piece.trim() !== '') yield piece;
  }
  // A line without its end was cut off and cannot be trusted.
  if (rest.trim() !== '') throw new Error('the stream ended inside a line');
}

/** The object of a line; throws the error of an error line. */
const lineObject = (line: string, requestId: string): object => {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null) throw new Error('a line of the stream is not an object');
  // Events may have a text field `error`; the error line has an object.
  if ('error' in value && isRecord(value.error)) throw errorOfObject(value.error, { status: 200, requestId });
  return value;
};

interface SilenceWatch {
  readonly heard: () => void;
  readonly isSilent: () => boolean;
  readonly stop: () => void;
}

/** Aborts a stream that is silent for too long; one timer at a time, re-armed lazily. */
const watchSilence = (connection: Connection, abort: AbortController): SilenceWatch => {
  const { clock } = connection.environment;
  let lastHeardMs = clock.nowMs();
  let isSilent = false;
  let cancel: () => void;
  const check = (): void => {
    const quietMs = clock.nowMs() - lastHeardMs;
    if (quietMs < SILENCE_LIMIT_MS) cancel = clock.after(SILENCE_LIMIT_MS - quietMs, check);
    else {
      isSilent = true;
      abort.abort();
    }
  };
  cancel = clock.after(SILENCE_LIMIT_MS, check);
  const heard = (): void => {
    lastHeardMs = clock.nowMs();
  };
  return { heard, isSilent: () => isSilent, stop: () => cancel() };
};

const silenceError = (cause: unknown): SvcError =>
  new SvcError({
    code: 'UNAVAILABLE',
    reason: 'INTERRUPTED',
    message: `nothing was heard from the server for ${SILENCE_LIMIT_MS / 1_000} s`,
    cause,
  });
