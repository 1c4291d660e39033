import { type Clock, Fault } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import { type Call, clientGone } from '../dispatcher/index.ts';
import { BodyBroken, requestBodyPieces } from '../http/index.ts';

/** A sender who falls silent for so long within a body is given up; his link may be used again. */
const SILENCE_MS = 60_000;

/**
 * The body of a call piece by piece, at the speed of the reader. Throws TOO_LARGE above the limit, CANCELLED CLIENT_GONE when
 * the sender goes away half-way, DEADLINE_EXCEEDED when he falls silent, and what the call was aborted with.
 */
export async function* bodyPieces(call: Call, limit: ByteLimit, clock: Clock): AsyncGenerator<Uint8Array> {
  const pieces = requestBodyPieces(call.exchange, limit);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  // No one learns of it when the reader has left already.
  aborted.catch(() => undefined);
  const onAbort = (): void => reject(call.signal.reason);
  call.signal.addEventListener('abort', onAbort);
  if (call.signal.aborted) onAbort();
  try {
    for (;;) {
      const stop = clock.after(SILENCE_MS, () => call.abort(silence()));
      const next = await Promise.race([pieces.next(), aborted]).finally(stop);
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    throw error instanceof BodyBroken ? clientGone() : error;
  } finally {
    call.signal.removeEventListener('abort', onAbort);
    // Not awaited: it ends with the read under way, which ends with the connection at the latest.
    pieces.return(undefined).catch(() => undefined);
  }
}

const silence = (): Fault =>
  new Fault('DEADLINE_EXCEEDED', 'DEADLINE', `nothing of the body came for ${SILENCE_MS / 1_000} s`);
