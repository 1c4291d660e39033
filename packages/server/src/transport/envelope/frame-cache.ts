import { compressSync, LEAST_COMPRESSED_BYTES, type StreamChunk } from '../http/index.ts';
import { COMPRESSED, frameOf, HEAD_BYTES, sealFrame } from './envelope.ts';
import { type MessageFormat, openFrame } from './message-format.ts';

/** Frame of a message, compressed when that was asked for and pays. */
export const messageFrame = (format: MessageFormat, message: object, gzip: boolean): Buffer => {
  const frame = openFrame(format, message);
  if (!gzip || frame.length < LEAST_COMPRESSED_BYTES) return sealFrame(frame);
  return frameOf(compressSync(frame.subarray(HEAD_BYTES)), COMPRESSED);
};

/** Frames by message object: an event is encoded, and if asked compressed, once for all its readers. */
export class FrameCache {
  readonly #plain = new WeakMap<object, StreamChunk>();
  readonly #packed = new WeakMap<object, StreamChunk>();
  readonly #format: MessageFormat;
  readonly #shape: (frame: Buffer) => Uint8Array;

  /** `shape` is applied to a finished frame, for base64. */
  constructor(format: MessageFormat, shape: (frame: Buffer) => Uint8Array = (frame) => frame) {
    this.#format = format;
    this.#shape = shape;
  }

  chunk(message: object, gzip: boolean): StreamChunk {
    const chunks = gzip ? this.#packed : this.#plain;
    const known = chunks.get(message);
    if (known !== undefined) return known;
    const chunk: StreamChunk = { bytes: this.#shape(messageFrame(this.#format, message, gzip)) };
    chunks.set(message, chunk);
    return chunk;
  }
}
