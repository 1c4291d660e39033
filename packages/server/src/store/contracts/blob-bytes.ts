import { createHash, type Hash } from 'node:crypto';
import { Fault } from '../../base/index.ts';

const HASH = /^[0-9a-f]{64}$/;

/** True for the name an object can have: a SHA-256 as lower-case hex. */
export const isObjectHash = (name: string): boolean => HASH.test(name);

/** NOT_FOUND OBJECT_NOT_FOUND. */
export const objectNotFound = (sha256: string): Fault =>
  new Fault('NOT_FOUND', 'OBJECT_NOT_FOUND', 'object not found', { metadata: { sha256 } });

/** DATA_LOSS OBJECT_DAMAGED: the stored bytes are not those of their name. */
export const objectDamaged = (sha256: string, cause?: unknown): Fault =>
  new Fault('DATA_LOSS', 'OBJECT_DAMAGED', 'the stored object is damaged', {
    metadata: { sha256 },
    ...(cause === undefined ? {} : { cause }),
  });

/** Hash and size of bytes on their way into a store. */
export class ByteMeasure {
  readonly #hash: Hash = createHash('sha256');
  readonly #limitBytes: number;
  #sizeBytes = 0;

  constructor(limitBytes = Number.POSITIVE_INFINITY) {
    this.#limitBytes = limitBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Throws Fault TOO_LARGE beyond the limit. */
  add(chunk: Uint8Array): void {
    this.#sizeBytes += chunk.byteLength;
    if (this.#sizeBytes > this.#limitBytes)
      throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `the object is larger than ${this.#limitBytes} bytes`, {
        metadata: { limit_bytes: String(this.#limitBytes) },
      });
    this.#hash.update(chunk);
  }

  /** The SHA-256 as lower-case hex; call once, after the last chunk. */
  end(): string {
    return this.#hash.digest('hex');
  }
}

/**
 * The bytes of a whole object as they come, the last piece only once the hash was right: damaged bytes never make a
 * complete object. Throws DATA_LOSS OBJECT_DAMAGED.
 */
export async function* verifiedBytes(source: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const measure = new ByteMeasure();
  let held: Uint8Array | undefined;
  for await (const chunk of source) {
    measure.add(chunk);
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (measure.end() !== sha256) throw objectDamaged(sha256);
  if (held !== undefined) yield held;
}
