import type { Steps } from './steps.ts';

/** Bytes copied in one step: memory that is written for the first time costs up to 8 ms a mebibyte. */
const STEP_BYTES = 512 * 1024;

/** The bytes split into chunks of at most `most` bytes, which share their memory; no chunks for no bytes. */
export function* piecesOf(bytes: Uint8Array, most: number): Generator<Uint8Array, void, void> {
  for (let start = 0; start < bytes.byteLength; start += most) yield bytes.subarray(start, start + most);
}

/** As Buffer.concat, in steps. */
export function* joining(pieces: readonly Uint8Array[]): Steps<Buffer<ArrayBuffer>> {
  const size = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  if (size <= STEP_BYTES) return Buffer.concat(pieces, size);
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  let copied = 0;
  for (const piece of pieces) {
    for (const part of piecesOf(piece, STEP_BYTES)) {
      if (copied >= STEP_BYTES) {
        copied = 0;
        yield;
      }
      whole.set(part, at);
      at += part.byteLength;
      copied += part.byteLength;
    }
  }
  return whole;
}
