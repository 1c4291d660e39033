import { createHash } from 'node:crypto';
import { type Clock, isFault } from '../../../base/index.ts';
import type { ObjectAccess, ObjectData } from '../../../runtime/contract.ts';
import type { BlobStore } from '../../../store/contracts/index.ts';
import { ObjectPins } from './object-pins.ts';

const KEY_CHARS = 32;

/** Opaque name of the bytes within one namespace; no capability and no path (PL-7). */
export const objectKey = (namespace: string, sha256: string): string =>
  createHash('sha256').update(`${namespace}\n${sha256}`).digest('base64url').slice(0, KEY_CHARS);

/** Bytes of turns by content hash; who refers to them is kept in the store, so unreferenced ones can go (RT-R37). */
export class StoredObjects implements ObjectAccess {
  readonly #blobs: BlobStore;
  readonly #clock: Clock;
  /** What the collector asks before it deletes. */
  readonly pins: ObjectPins;

  constructor(deps: { readonly blobs: BlobStore; readonly clock: Clock }) {
    this.#blobs = deps.blobs;
    this.#clock = deps.clock;
    this.pins = new ObjectPins(deps.clock);
  }

  async store(
    namespace: string,
    bytes: Uint8Array,
    facts: { readonly mediaType: string; readonly filename: string },
  ): Promise<ObjectData> {
    await this.pins.pin(createHash('sha256').update(bytes).digest('hex'));
    const { sha256, sizeBytes } = await this.#blobs.put(bytes);
    return {
      key: objectKey(namespace, sha256),
      sha256,
      sizeBytes,
      mediaType: facts.mediaType,
      filename: facts.filename,
    };
  }

  async hold(...[tx, namespace, object, holder]: Parameters<ObjectAccess['hold']>): Promise<void> {
    const { sha256, sizeBytes, mediaType } = object;
    await tx.objects.addReference({ namespace, sha256, sizeBytes, mediaType, holder, at: this.#clock.nowMicros() });
  }

  /** Undefined when the object is gone; a damaged one is gone as well as far as a prompt is concerned (RT-R26). */
  async read(_namespace: string, object: ObjectData): Promise<Uint8Array | undefined> {
    try {
      return await this.#blobs.read(object.sha256);
    } catch (error) {
      if (isFault(error) && (error.code === 'NOT_FOUND' || error.code === 'DATA_LOSS')) return undefined;
      throw error;
    }
  }
}
