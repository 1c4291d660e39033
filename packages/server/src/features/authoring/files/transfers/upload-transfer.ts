import type { ResourceWriter } from '../../../../controllers/contract.ts';
import type { HttpRoute } from '../../../../operations/index.ts';
import type { BlobStore, ResourceKey, Store, UploadLink } from '../../../../store/contracts/index.ts';
import { FACT, type UploadFacts, uploadHolder, uploadOf } from '../file-facts.ts';
import type { StoredObjects } from '../objects/index.ts';
import type { UploadSignatures } from './upload-signatures.ts';

/** What the ways in share. */
export interface TransferDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly blobs: BlobStore;
  readonly objects: StoredObjects;
  readonly signatures: UploadSignatures;
  /** Where callers reach the gateway, without a slash at the end; asked when it listens. */
  readonly baseUrl: () => string;
}

/** How the bytes of uploads come in. */
export interface UploadTransfer {
  /** Where and how a client sends them. */
  link(key: ResourceKey, upload: UploadFacts): Promise<UploadLink>;
  /**
   * Looks for the bytes of an upload that is not received yet, as part of its completion, and marks it received. Resolves
   * too when another completion came first. Throws UPLOAD_INVALID with the cause.
   */
  fetch(key: ResourceKey, upload: UploadFacts): Promise<void>;
  /** What the gateway serves for it. */
  readonly routes: readonly HttpRoute[];
}

/** Notes that the bytes of an upload are stored and right, and holds them; false when the upload is no longer open. */
export const markReceived = (
  { store, writer }: Pick<TransferDeps, 'store' | 'writer'>,
  key: ResourceKey,
  upload: UploadFacts,
): Promise<boolean> =>
  store.write(async (tx) => {
    const current = await tx.resources.get(key);
    const now = current === undefined ? undefined : uploadOf(current.annotations);
    if (now?.id !== upload.id) return false;
    const { sha256, sizeBytes } = upload;
    const holder = uploadHolder(upload.id);
    await tx.objects.addReference({ namespace: key.namespace, sha256, sizeBytes, mediaType: '', holder, at: tx.now() });
    const annotations = { [FACT.upload]: JSON.stringify({ ...upload, isReceived: true }) };
    await writer.writeStatus(tx, key, () => ({ system: { annotations } }));
    return true;
  });
