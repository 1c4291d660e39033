import { isFault, JSON_DEPTH, nestsDeeperThan } from '../../base/index.ts';
import { PeerFailure } from './client-contract.ts';

/** `fetch` as the library calls it. */
export type PeerFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Longest answer, and all that one stream may send: room for a reply with media. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** How many causes of an error are examined. */
const CAUSES = 8;
const UNAVAILABLE: ReadonlySet<number> = new Set([408, 425, 429]);

/** What one call to a peer may do. */
export interface FetchLimits {
  /** Requests to addresses of this origin carry the credential, no others. */
  readonly origin: string;
  readonly bearer: string;
  readonly signal: AbortSignal;
  readonly bytes?: number;
}

/** What went wrong in one call, since the library reports it in words of its own. */
export interface CallNotes {
  /** What its requests found. */
  failure?: PeerFailure;
  /** What the caller itself threw. */
  thrown?: unknown;
}

/**
 * `fetch` for one call to a peer: adds the credential, follows no redirect, and ends an answer that is too large or, unless it is a
 * stream, nests too deep. The credential is struck out of what comes back, so that a peer cannot hand it to a model.
 */
export const limitedFetch =
  (fetch: PeerFetch, limits: FetchLimits, notes: CallNotes): PeerFetch =>
  async (url, init = {}) => {
    const { bearer, origin, signal } = limits;
    const headers = new Headers(init.headers);
    headers.delete('authorization');
    const isOwn = new URL(url).origin === origin;
    if (bearer !== '' && isOwn) headers.set('authorization', `Bearer ${bearer}`);
    try {
      if (bearer !== '' && !isOwn)
        throw new PeerFailure('refused', 'the card leads to another server, which must not get the credential');
      const signals = init.signal instanceof AbortSignal ? [signal, init.signal] : [signal];
      const answer = await fetch(url, { ...init, headers, redirect: 'manual', signal: AbortSignal.any(signals) });
      return await checked(answer, limits, notes);
    } catch (error) {
      notes.failure ??= failureOf(error);
      throw notes.failure;
    }
  };

const checked = async (answer: Response, limits: FetchLimits, notes: CallNotes): Promise<Response> => {
  const { status, headers, body } = answer;
  const problem = statusProblem(status);
  if (problem !== undefined) {
    await body?.cancel();
    throw problem;
  }
  const limit = limits.bytes ?? ANSWER_BYTES_MAX;
  const { bearer } = limits;
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream') && body !== null) {
    const limited = body.pipeThrough(byteLimit(limit, notes));
    return new Response(bearer === '' ? limited : limited.pipeThrough(withoutBearer(bearer)), { status, headers });
  }
  const text = await readText(answer, limit);
  if (nestsDeeperThan(text, JSON_DEPTH)) throw new PeerFailure('malformed', 'its answer nests too deep');
  return new Response(bearer === '' ? text : struckOut(text, bearer), { status, headers: { 'content-type': type } });
};

const struckOut = (text: string, bearer: string): string => text.replaceAll(bearer, '[credential]');

/** Passes whole lines on without the credential, which may arrive in several chunks. */
const withoutBearer = (bearer: string): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let line = '';
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      if (end > 0) {
        controller.enqueue(encoder.encode(struckOut(line + text.slice(0, end), bearer)));
        line = '';
      }
      line += text.slice(end);
    },
    flush(controller) {
      controller.enqueue(encoder.encode(struckOut(line + decoder.decode(), bearer)));
    },
  });
};

/** Answers that no library needs to read. */
const statusProblem = (status: number): PeerFailure | undefined => {
  if (status >= 300 && status < 400)
    return new PeerFailure('refused', `it answered ${status}: redirects are not followed`);
  if (status === 401 || status === 403) return new PeerFailure('refused', `it refused the credential (${status})`);
  if (status >= 500 || UNAVAILABLE.has(status)) return new PeerFailure('unavailable', `it answered ${status}`);
  return undefined;
};

const tooLarge = (limit: number): PeerFailure =>
  new PeerFailure('malformed', `its answer is larger than ${limit} bytes`);

const readText = async (answer: Response, limit: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
};

const byteLimit = (limit: number, notes: CallNotes): TransformStream<Uint8Array, Uint8Array> => {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      size += chunk.length;
      if (size <= limit) return controller.enqueue(chunk);
      notes.failure = tooLarge(limit);
      controller.error(notes.failure);
    },
  });
};

/** What a failed request says of its peer: addresses that may not be reached are refused, all else may go better later. */
const failureOf = (error: unknown): PeerFailure => {
  if (error instanceof PeerFailure) return error;
  let cause = error;
  for (let depth = 0; depth < CAUSES && cause instanceof Error; depth++) {
    if (isFault(cause)) return new PeerFailure('refused', cause.message);
    cause = cause.cause;
  }
  return new PeerFailure('unavailable', 'it cannot be reached or did not answer in time');
};
