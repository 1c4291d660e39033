import { createHash } from 'node:crypto';
import { type Clock, Fault, inTurns, isFault, piecesOf, type Steps } from '../../../../base/index.ts';
import type { ObjectAccess, ObjectData } from '../../../../runtime/contract.ts';
import type { BlobStore, Store } from '../../../../store/contracts/index.ts';

const KEY_CHARS = 32;
/** How often and how far apart bytes are asked for that a collector, of any node, is just removing. */
const RESERVE_TRIES = 100;
const RESERVE_PAUSE_MS = 50;

/** Opaque name of the bytes within one namespace; no capability and no path. */
export const objectKey = (namespace: string, sha256: string): string =>
  createHash('sha256').update(`${namespace}\n${sha256}`).digest('base64url').slice(0, KEY_CHARS);

/** An object as its bytes are named in a namespace. */
export const objectIn = (namespace: string, object: ObjectData): ObjectData => ({
  ...object,
  key: objectKey(namespace, object.sha256),
});

/** Bytes hashed in one step. */
const STEP_BYTES = 1024 * 1024;

function* hashing(bytes: Uint8Array): Steps<string> {
  const hash = createHash('sha256');
  for (const piece of piecesOf(bytes, STEP_BYTES)) {
    hash.update(piece);
    yield;
  }
  return hash.digest('hex');
}

/** Bytes of turns by content hash; who refers to them is kept in the store, so unreferenced ones can go. */
export class StoredObjects implements ObjectAccess {
  readonly #store: Pick<Store, 'write'>;
  readonly #blobs: BlobStore;
  readonly #clock: Clock;

  constructor(deps: { readonly store: Pick<Store, 'write'>; readonly blobs: BlobStore; readonly clock: Clock }) {
    this.#store = deps.store;
    this.#blobs = deps.blobs;
    this.#clock = deps.clock;
  }

  /**
   * Keeps the collectors of all nodes away from bytes that are stored, or referred to, next: for as long as an object
   * without references is kept. Waits while one of them is removing these very bytes. Fault UNAVAILABLE STORAGE when that
   * does not end.
   */
  async reserve(sha256: string, sizeBytes: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      if (await this.#store.write((tx) => tx.objects.reserve(sha256, sizeBytes, tx.steadyNow()))) return;
      if (tries === RESERVE_TRIES)
        throw new Fault('UNAVAILABLE', 'STORAGE', 'the same bytes are being removed: try again later');
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#clock.after(RESERVE_PAUSE_MS, resolve);
      await promise;
    }
  }

  async store(
    namespace: string,
    bytes: Uint8Array,
    facts: { readonly mediaType: string; readonly filename: string },
  ): Promise<ObjectData> {
    await this.reserve(await inTurns(hashing(bytes), 1), bytes.byteLength);
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

  /** As `read` about what is gone. */
  async size(_namespace: string, object: ObjectData): Promise<number | undefined> {
    return (await unlessLost(() => this.#blobs.stat(object.sha256)))?.sizeBytes;
  }

  /** Undefined when the object is gone; a damaged one is gone as well as far as a prompt is concerned. */
  read(_namespace: string, object: ObjectData): Promise<Uint8Array | undefined> {
    return unlessLost(() => this.#blobs.read(object.sha256));
  }
}

const unlessLost = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await read();
  } catch (error) {
    if (isFault(error) && (error.code === 'NOT_FOUND' || error.code === 'DATA_LOSS')) return undefined;
    throw error;
  }
};
