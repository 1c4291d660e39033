import { compressSync, LEAST_COMPRESSED_BYTES, type StreamChunk } from '../http/index.ts';
import { COMPRESSED, frameOf, HEAD_BYTES, sealFrame } from './envelope.ts';
import { type MessageFormat, openFrame } from './message-format.ts';

/** Frame of a message, compressed when that was asked for and pays. */
const messageFrame = (format: MessageFormat, message: object, gzip: boolean): Buffer => {
  const frame = openFrame(format, message);
  if (!gzip || frame.length < LEAST_COMPRESSED_BYTES) return sealFrame(frame);
  return frameOf(compressSync(frame.subarray(HEAD_BYTES)), COMPRESSED);
};

/** Frames of one kind, plain or compressed. */
class Frames {
  readonly #kept = new WeakMap<object, StreamChunk>();
  #message: object | undefined;
  #chunk: StreamChunk | undefined;

  /** The last message's frame is at hand; longer only frozen messages keep theirs. */
  of(message: object, make: () => StreamChunk): StreamChunk {
    if (this.#chunk !== undefined && this.#message === message) return this.#chunk;
    const isKept = Object.isFrozen(message);
    const chunk = (isKept ? this.#kept.get(message) : undefined) ?? make();
    if (isKept) this.#kept.set(message, chunk);
    this.#message = message;
    this.#chunk = chunk;
    return chunk;
  }
}

/**
 * Frames by message object: an event is encoded, and if asked compressed, once for all its readers, who get it one right after
 * the other.
 */
export class FrameCache {
  readonly #plain = new Frames();
  readonly #packed = new Frames();
  readonly #format: MessageFormat;
  readonly #shape: (frame: Buffer) => Uint8Array;

  /** `shape` is applied to a finished frame, for base64. */
  constructor(format: MessageFormat, shape: (frame: Buffer) => Uint8Array = (frame) => frame) {
    this.#format = format;
    this.#shape = shape;
  }

  chunk(message: object, gzip: boolean): StreamChunk {
    return (gzip ? this.#packed : this.#plain).of(message, () => ({
      bytes: this.#shape(messageFrame(this.#format, message, gzip)),
    }));
  }
}
