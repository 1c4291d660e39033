import { isFault } from '../../../../base/index.ts';
import type { HttpRoute } from '../../../../operations/index.ts';
import {
  ByteMeasure,
  type ResourceKey,
  type StoredResource,
  type UploadLink,
} from '../../../../store/contracts/index.ts';
import { FACT, type UploadFacts, uploadOf } from '../file-facts.ts';
import { objectKey } from '../objects/index.ts';
import { uploadInvalid } from '../upload-faults.ts';
import { markReceived, type TransferDeps, type UploadTransfer } from './upload-transfer.ts';

/** Bytes come through a route of this gateway, which checks them before it stores them. */
export class GatewayTransfer implements UploadTransfer {
  readonly routes: readonly HttpRoute[];
  readonly #deps: TransferDeps;

  constructor(deps: TransferDeps) {
    this.#deps = deps;
    this.routes = [this.#route()];
  }

  async link(key: ResourceKey, upload: UploadFacts): Promise<UploadLink> {
    return { url: `${this.#deps.baseUrl()}${this.#deps.signatures.link(signed(key, upload))}`, headers: {} };
  }

  /** Nothing can lie elsewhere. */
  async fetch(): Promise<void> {
    throw uploadInvalid('empty');
  }

  /** Takes the bytes; may be repeated until the upload is completed. Wrong bytes are dropped and the upload stays open. */
  #route(): HttpRoute {
    return {
      method: 'PUT',
      pattern: '/v1/uploads/{upload_id}',
      authenticated: false,
      handle: async (exchange, params) => {
        const record = await this.#findOpen(params['upload_id'] ?? '');
        const upload = record === undefined ? undefined : uploadOf(record.annotations);
        if (record === undefined || upload === undefined) throw uploadInvalid('unknown');
        const isSigned =
          exchange.query.get('exp') === String(upload.expiresAt) &&
          this.#deps.signatures.isGood(signed(record.key, upload), exchange.query.get('sig') ?? '');
        if (!isSigned) throw uploadInvalid('signature');
        if (upload.expiresAt <= this.#deps.store.now()) throw uploadInvalid('expired');
        await this.#receive(record.key, upload, exchange.pieces({ bytes: upload.sizeBytes }));
        exchange.answer(200, { etag: `"${upload.sha256}"` });
      },
    };
  }

  async #findOpen(id: string): Promise<StoredResource | undefined> {
    const labels = [{ op: 'in' as const, key: FACT.upload, values: [id] }];
    const [found] = await this.#deps.store.direct.resources.list({
      kind: 'File',
      scope: { type: 'all' },
      labels,
      limit: 1,
    });
    return found;
  }

  /** What comes is measured while it is stored: wrong bytes never get a name, and nothing is left of them. */
  async #receive(key: ResourceKey, upload: UploadFacts, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    const { blobs, objects } = this.#deps;
    const reserve = (): Promise<void> => objects.reserve(upload.sha256, upload.sizeBytes);
    try {
      await blobs.put(announcedBytes(pieces, upload, reserve));
    } catch (error) {
      throw isFault(error) && error.reason === 'TOO_LARGE' ? uploadInvalid('size') : error;
    }
    if (!(await markReceived(this.#deps, key, upload))) throw uploadInvalid('unknown');
  }
}

const signed = (key: ResourceKey, upload: UploadFacts) => ({ ...upload, key: objectKey(key.namespace, upload.sha256) });

/** The bytes as they pass; they end only when they are the announced ones, and after `whenRight`. Throws UPLOAD_INVALID. */
async function* announcedBytes(
  pieces: AsyncIterable<Uint8Array>,
  upload: UploadFacts,
  whenRight: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const measure = new ByteMeasure();
  for await (const piece of pieces) {
    measure.add(piece);
    yield piece;
  }
  const { sizeBytes } = measure;
  if (sizeBytes !== upload.sizeBytes) throw uploadInvalid(sizeBytes === 0 ? 'empty' : 'size');
  if (measure.end() !== upload.sha256) throw uploadInvalid('hash');
  await whenRight();
}
