import { type BackoffRule, backoffMs, type Clock, type Random } from '../../../base/index.ts';
import type { ObjectKeys } from './object-keys.ts';
import type { NamedBytes, S3Bucket } from './s3-bucket.ts';
import { TRIES } from './s3-client.ts';
import { isPassing, toStorageFault } from './s3-faults.ts';
import type { SpooledBytes } from './spool.ts';

const WAIT: BackoffRule = { firstMs: 200, factor: 4, capMs: 5_000, jitter: 0.5 };

export interface ObjectSenderDeps {
  readonly bucket: Pick<S3Bucket, 'put'>;
  readonly keys: ObjectKeys;
  readonly clock: Clock;
  readonly random: Random;
}

/** Puts whole, named bytes under the key of their hash: durable when it resolves, and harmless when repeated. */
export class ObjectSender {
  readonly #deps: ObjectSenderDeps;

  constructor(deps: ObjectSenderDeps) {
    this.#deps = deps;
  }

  /** The client repeats what it can send again by itself. */
  async sendBytes(bytes: Uint8Array, named: NamedBytes): Promise<void> {
    const { bucket, keys } = this.#deps;
    try {
      await bucket.put(keys.object(named.sha256), bytes, named);
    } catch (error) {
      throw toStorageFault(error);
    }
  }

  /** The client cannot send a stream twice, so each attempt reads the file again. */
  async sendFile({ open, ...named }: SpooledBytes): Promise<void> {
    const { bucket, keys, random } = this.#deps;
    for (let attempt = 1; ; attempt++) {
      const body = open();
      try {
        await bucket.put(keys.object(named.sha256), body, named);
        return;
      } catch (error) {
        if (attempt === TRIES || !isPassing(error)) throw toStorageFault(error);
      } finally {
        body.destroy();
      }
      await this.#wait(backoffMs(WAIT, attempt, random));
    }
  }

  #wait(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#deps.clock.after(ms, resolve);
    return promise;
  }
}
