import type { HttpRoute } from '../../../../operations/index.ts';
import type { DirectUploads, ResourceKey, UploadLink } from '../../../../store/contracts/index.ts';
import { FACT, type UploadFacts, uploadOf } from '../file-facts.ts';
import { uploadInvalid } from '../upload-faults.ts';
import { markReceived, type TransferDeps, type UploadTransfer } from './upload-transfer.ts';

/** Bytes go from the client into the object store; what arrived is checked when the upload is completed. */
export class DirectTransfer implements UploadTransfer {
  readonly routes: readonly HttpRoute[] = [];
  readonly #deps: Pick<TransferDeps, 'store' | 'writer' | 'objects'>;
  readonly #direct: DirectUploads;

  constructor(deps: Pick<TransferDeps, 'store' | 'writer' | 'objects'>, direct: DirectUploads) {
    this.#deps = deps;
    this.#direct = direct;
  }

  link(_key: ResourceKey, upload: UploadFacts): Promise<UploadLink> {
    return this.#direct.link(upload);
  }

  /** What arrived is let go only once it was marked received: until then a completion that was cut off can be repeated. */
  async fetch(key: ResourceKey, upload: UploadFacts): Promise<void> {
    const { store, objects } = this.#deps;
    if (upload.expiresAt <= store.now()) throw uploadInvalid('expired');
    await objects.reserve(upload.sha256, upload.sizeBytes);
    const verdict = await this.#direct.accept(upload);
    if (verdict !== 'accepted') {
      if (verdict === 'empty' && (await this.#isTaken(key, upload.id))) return;
      throw uploadInvalid(verdict);
    }
    if (await markReceived(this.#deps, key, upload)) await this.#direct.discard(upload);
  }

  /** True when another completion of the same upload took the bytes in the meantime. */
  async #isTaken(key: ResourceKey, id: string): Promise<boolean> {
    const { annotations = {} } = (await this.#deps.store.direct.resources.get(key)) ?? {};
    const upload = uploadOf(annotations);
    return annotations[FACT.completed] === id || (upload?.id === id && upload.isReceived);
  }
}
