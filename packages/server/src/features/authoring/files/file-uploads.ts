import { create } from '@bufbuild/protobuf';
import { type File, FileSchema, type FileSpec, FileSpecSchema } from '@svc/api/resources';
import { type FieldViolation, isFault } from '../../../base/index.ts';
import type { WriteOrigin } from '../../../controllers/contract.ts';
import { messageFromText, messageText } from '../../../resources/index.ts';
import { isObjectHash, type ResourceKey, type StoredResource, type WriteTx } from '../../../store/contracts/index.ts';
import { FACT, fileSpec, objectOf, type UploadFacts, uploadHolder, uploadOf } from './file-facts.ts';
import { FILE_WORK, requireRoom } from './file-kind.ts';
import { mergeFile } from './file-rules.ts';
import { needsText, readText } from './file-text.ts';
import { draftFile, type FileWrites, fileKey, givenMetadata, type NewContent } from './file-writes.ts';
import type { FilesDeps } from './files-deps.ts';
import type { UploadTransfer } from './transfers/index.ts';
import { tooLarge, uploadInvalid } from './upload-faults.ts';

/** How long a link takes bytes. */
const OPEN_MICROS = 15 * 60 * 1_000_000;

interface WantedUpload {
  readonly namespace: string;
  readonly file: File | undefined;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filename: string;
}

interface OpenUpload {
  readonly record: StoredResource;
  readonly upload: UploadFacts;
}

/** Uploads in three steps: announce, send, complete. */
export class FileUploads {
  readonly #deps: FilesDeps;
  readonly #writes: FileWrites;
  readonly #transfer: UploadTransfer;

  constructor(deps: FilesDeps, writes: FileWrites, transfer: UploadTransfer) {
    this.#deps = deps;
    this.#writes = writes;
    this.#transfer = transfer;
  }

  /** A new file is Pending; a stored one keeps its bytes until the upload is completed. A second one takes the place of the first. */
  async prepare(
    origin: WriteOrigin,
    wanted: WantedUpload,
  ): Promise<{ readonly file: StoredResource; readonly upload: UploadFacts }> {
    const { namespace, file, sizeBytes } = wanted;
    const sha256 = wanted.sha256.toLowerCase();
    const { writer, store } = this.#deps;
    const taken = await store.direct.resources.get(fileKey(namespace, file?.spec?.path ?? ''));
    const drafted = draftFile(writer, { ...wanted, current: taken, faults: checkHash(sha256) });
    const { spec, key, filename } = drafted;
    const { objectBytes } = this.#deps.limits;
    if (sizeBytes > objectBytes) throw tooLarge('the upload', objectBytes);
    return store.write(async (tx) => {
      const current = await tx.resources.get(key);
      const replaced = current === undefined ? undefined : objectOf(current.annotations);
      const addedBytes = sizeBytes - (replaced?.sizeBytes ?? 0);
      if (addedBytes > 0) await requireRoom(tx, { ...this.#deps.limits, namespace, addedBytes });
      const times = { createdAt: tx.now(), expiresAt: tx.now() + OPEN_MICROS };
      const later = messageText(FileSpecSchema, file?.spec ?? spec);
      const metadata = givenMetadata(file);
      const resourceVersion = file?.metadata?.resourceVersion ?? '';
      const upload: UploadFacts = {
        id: this.#deps.ids.next(),
        sizeBytes,
        sha256,
        filename,
        spec: later,
        isReceived: false,
        ...(current === undefined ? {} : { metadata }),
        ...times,
      };
      const system = { annotations: { [FACT.upload]: JSON.stringify(upload) }, labels: { [FACT.upload]: upload.id } };
      if (current !== undefined) await dropUpload(tx, uploadOf(current.annotations));
      const { resource } =
        current === undefined
          ? await writer.create(tx, origin, { ...metadata, key, spec, system, resourceVersion })
          : await writer.modify(tx, origin, { key, resourceVersion, change: () => ({ system }) });
      const payload = JSON.stringify(key);
      await tx.queue.put({ kind: FILE_WORK.upload, key: upload.id, dueAt: upload.expiresAt, attempts: 0, payload });
      return { file: resource, upload };
    });
  }

  /** Shows the bytes of an upload; repeated for the same upload it answers the same. Throws UPLOAD_INVALID with the cause. */
  async complete(origin: WriteOrigin, key: ResourceKey, uploadId: string): Promise<StoredResource> {
    const { store, writer } = this.#deps;
    const content = await this.#content(key, uploadId);
    return store.write(async (tx) => {
      const current = await tx.resources.get(key);
      if (current !== undefined && uploadId !== '' && current.annotations[FACT.completed] === uploadId) return current;
      const upload = current === undefined ? undefined : uploadOf(current.annotations);
      if (upload?.id !== uploadId || content === undefined) throw uploadInvalid('unknown');
      if (upload.expiresAt <= tx.now()) throw uploadInvalid('expired');
      const { resource } = await writer.modify(tx, origin, {
        key,
        change: (record) => this.#shown(tx, record, { upload, content }),
      });
      await dropUpload(tx, upload);
      await this.#writes.index(tx, resource, content);
      return resource;
    });
  }

  #shown(tx: WriteTx, record: StoredResource, given: { readonly upload: UploadFacts; readonly content: NewContent }) {
    const { upload, content } = given;
    const { owners = [], finalizers = [], ...texts } = upload.metadata ?? {};
    const metadata = { ...texts, ownerReferences: owners.map((owner) => ({ ...owner })), finalizers: [...finalizers] };
    const file = create(FileSchema, { metadata });
    const desired = this.#writes.changed(tx, record, { file, spec: laterSpec(upload), content });
    const annotations = { ...desired.system?.annotations, [FACT.upload]: undefined, [FACT.completed]: upload.id };
    return { ...desired, system: { annotations, labels: { ...desired.system?.labels, [FACT.upload]: undefined } } };
  }

  /** Undefined when no such upload is open: it may be completed already. */
  async #content(key: ResourceKey, uploadId: string): Promise<NewContent | undefined> {
    const announced = await this.#findOpen(key, uploadId);
    if (announced === undefined) return undefined;
    if (announced.upload.isReceived) return this.#received(announced);
    await this.#transfer.fetch(key, announced.upload);
    const arrived = await this.#findOpen(key, uploadId);
    return arrived === undefined ? undefined : this.#received(arrived);
  }

  async #findOpen(key: ResourceKey, uploadId: string): Promise<OpenUpload | undefined> {
    const record = await this.#deps.store.direct.resources.get(key);
    const upload = record === undefined ? undefined : uploadOf(record.annotations);
    return record === undefined || upload?.id !== uploadId ? undefined : { record, upload };
  }

  /** The uploaded bytes as the file will show them; stored bytes are checked again. */
  async #received({ record, upload }: OpenUpload): Promise<NewContent> {
    const { blobs, pdf } = this.#deps;
    const { sha256, sizeBytes, filename } = upload;
    const spec = mergeFile(fileSpec(record), laterSpec(upload));
    try {
      const stat = await blobs.stat(sha256);
      if (stat === undefined) throw uploadInvalid('empty');
      if (stat.sizeBytes !== sizeBytes) throw uploadInvalid('size');
      const content = { sha256, sizeBytes, filename };
      if (!needsText(spec, upload)) return content;
      return { ...content, text: await readText(pdf, spec.mediaType, await blobs.read(sha256)) };
    } catch (error) {
      throw isFault(error) && error.code === 'DATA_LOSS' ? uploadInvalid('hash') : error;
    }
  }
}

const checkHash = (sha256: string): readonly FieldViolation[] =>
  isObjectHash(sha256) ? [] : [{ field: 'sha256', description: 'must be 64 hex digits', reason: 'FIELD_INVALID' }];

const laterSpec = (upload: UploadFacts): FileSpec => messageFromText(FileSpecSchema, upload.spec) as FileSpec;

/** Lets go what an upload held, when it is completed, replaced or too late. */
export const dropUpload = async (tx: WriteTx, upload: UploadFacts | undefined): Promise<void> => {
  if (upload === undefined) return;
  await tx.objects.dropReferences(uploadHolder(upload.id), tx.steadyNow());
  await tx.queue.cancel(FILE_WORK.upload, upload.id);
};
