import { createHash } from 'node:crypto';
import { type File, type FileSpec, FileSpecSchema } from '@svc/api/resources';
import { invalidFields, isFault } from '../../base/index.ts';
import type { WriteOrigin } from '../../controllers/contract.ts';
import { messageFromText, messageText } from '../../resources/index.ts';
import type { ResourceKey, StoredResource, WriteTx } from '../../store/contracts/index.ts';
import type { HttpExchange, HttpRoute } from '../../transport/contract.ts';
import { FACT, fileSpec, objectOf, type UploadFacts, uploadHolder, uploadOf } from './file-facts.ts';
import { FILE_WORK, requireRoom } from './file-kind.ts';
import { mergeFile } from './file-rules.ts';
import { hasText } from './file-text.ts';
import { baseName, type FileWrites, type NewContent, newFileSpec, requireFilename } from './file-writes.ts';
import type { FilesDeps } from './files-deps.ts';
import { objectKey } from './objects/index.ts';
import { tooLarge, uploadInvalid } from './upload-faults.ts';

/** How long a link takes bytes (PL-7). */
const OPEN_MICROS = 15 * 60 * 1_000_000;
const HASH = /^[0-9a-f]{64}$/;

export interface WantedUpload {
  readonly namespace: string;
  readonly file: File | undefined;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filename: string;
}

/** Uploads in three steps: announce, send, complete (PL-7). */
export class FileUploads {
  readonly #deps: FilesDeps;
  readonly #writes: FileWrites;

  constructor(deps: FilesDeps, writes: FileWrites) {
    this.#deps = deps;
    this.#writes = writes;
  }

  /** A new file is Pending; a stored one keeps its bytes until the upload is completed. A second one takes the place of the first. */
  async prepare(
    origin: WriteOrigin,
    wanted: WantedUpload,
  ): Promise<{ readonly file: StoredResource; readonly upload: UploadFacts }> {
    const { namespace, file } = wanted;
    this.#check(wanted);
    const { spec, key } = newFileSpec(namespace, file);
    const filename = requireFilename(wanted.filename === '' ? baseName(spec.path) : wanted.filename);
    return this.#deps.store.write(async (tx) => {
      const { sizeBytes, sha256 } = wanted;
      const current = await tx.resources.get(key);
      const replaced = current === undefined ? undefined : objectOf(current.annotations);
      const addedBytes = sizeBytes - (replaced?.sizeBytes ?? 0);
      if (addedBytes > 0) await requireRoom(tx, { ...this.#deps.limits, namespace, addedBytes });
      const times = { createdAt: tx.now(), expiresAt: tx.now() + OPEN_MICROS };
      const later = messageText(FileSpecSchema, file?.spec ?? spec);
      const upload = {
        ...{ id: this.#deps.ids.next(), sizeBytes, sha256, filename, spec: later, isReceived: false },
        ...times,
      };
      const system = { annotations: { [FACT.upload]: JSON.stringify(upload) }, labels: { [FACT.upload]: upload.id } };
      if (current !== undefined) await dropUpload(tx, uploadOf(current.annotations));
      const { labels = {}, annotations = {}, resourceVersion = '' } = file?.metadata ?? {};
      const { writer } = this.#deps;
      const { resource } =
        current === undefined
          ? await writer.create(tx, origin, { key, spec, labels, annotations, system })
          : await writer.modify(tx, origin, { key, resourceVersion, change: () => ({ system }) });
      const payload = JSON.stringify(key);
      await tx.queue.put({ kind: FILE_WORK.upload, key: upload.id, dueAt: upload.expiresAt, attempts: 0, payload });
      return { file: resource, upload };
    });
  }

  /** Link and headers for the bytes of an upload. */
  link(key: ResourceKey, upload: UploadFacts): string {
    return `${this.#deps.baseUrl}${this.#deps.signatures.link(signed(key, upload))}`;
  }

  /** Takes the bytes; may be repeated until the upload is completed. Wrong bytes are dropped and the upload stays open. */
  route(): HttpRoute {
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
        await this.#receive(record.key, upload, await uploadedBytes(exchange, upload));
        exchange.answer(200, { etag: `"${upload.sha256}"` });
      },
    };
  }

  /** Shows the bytes of an upload; repeated for the same upload it answers the same. Throws UPLOAD_INVALID with the cause. */
  async complete(origin: WriteOrigin, key: ResourceKey, uploadId: string): Promise<StoredResource> {
    const { store, writer } = this.#deps;
    const before = await store.direct.resources.get(key);
    const announced = before === undefined ? undefined : uploadOf(before.annotations);
    const isOpen = before !== undefined && announced?.id === uploadId;
    const content = isOpen ? await this.#received(before, announced) : undefined;
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
    const desired = this.#writes.changed(tx, record, { spec: laterSpec(upload), content });
    const annotations = { ...desired.system?.annotations, [FACT.upload]: undefined, [FACT.completed]: upload.id };
    return { ...desired, system: { annotations, labels: { [FACT.upload]: undefined } } };
  }

  #check({ sizeBytes, sha256 }: WantedUpload): void {
    const { objectBytes } = this.#deps.limits;
    if (sizeBytes > objectBytes) throw tooLarge('the upload', objectBytes);
    if (!HASH.test(sha256))
      throw invalidFields([
        { field: 'sha256', description: 'must be 64 lower-case hex digits', reason: 'FIELD_INVALID' },
      ]);
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

  async #receive(key: ResourceKey, upload: UploadFacts, bytes: Uint8Array): Promise<void> {
    const { store, writer, objects } = this.#deps;
    const { filename, sha256, sizeBytes } = upload;
    await objects.store(key.namespace, bytes, { mediaType: '', filename });
    await store.write(async (tx) => {
      const current = await tx.resources.get(key);
      const now = current === undefined ? undefined : uploadOf(current.annotations);
      if (now?.id !== upload.id) throw uploadInvalid('unknown');
      const { namespace } = key;
      const holder = uploadHolder(upload.id);
      await tx.objects.addReference({ namespace, sha256, sizeBytes, mediaType: '', holder, at: tx.now() });
      const annotations = { [FACT.upload]: JSON.stringify({ ...upload, isReceived: true }) };
      await writer.writeStatus(tx, key, () => ({ system: { annotations } }));
    });
  }

  /** The uploaded bytes as the file will show them; stored bytes are looked at again. */
  async #received(record: StoredResource, upload: UploadFacts): Promise<NewContent> {
    const { blobs } = this.#deps;
    const { sha256, sizeBytes, filename } = upload;
    if (!upload.isReceived) throw uploadInvalid('empty');
    const spec = mergeFile(fileSpec(record), laterSpec(upload));
    try {
      const stat = await blobs.stat(sha256);
      if (stat === undefined) throw uploadInvalid('empty');
      if (stat.sizeBytes !== sizeBytes) throw uploadInvalid('size');
      if (!hasText(spec, upload)) return { sha256, sizeBytes, filename };
      return { sha256, sizeBytes, filename, bytes: await blobs.read(sha256) };
    } catch (error) {
      throw isFault(error) && error.code === 'DATA_LOSS' ? uploadInvalid('hash') : error;
    }
  }
}

const laterSpec = (upload: UploadFacts): FileSpec => messageFromText(FileSpecSchema, upload.spec) as FileSpec;

const signed = (key: ResourceKey, upload: UploadFacts) => ({ ...upload, key: objectKey(key.namespace, upload.sha256) });

const uploadedBytes = async (exchange: HttpExchange, upload: UploadFacts): Promise<Uint8Array> => {
  let bytes: Uint8Array;
  try {
    bytes = await exchange.body(upload.sizeBytes);
  } catch (error) {
    throw isFault(error) && error.reason === 'TOO_LARGE' ? uploadInvalid('size') : error;
  }
  if (bytes.length !== upload.sizeBytes) throw uploadInvalid(bytes.length === 0 ? 'empty' : 'size');
  if (createHash('sha256').update(bytes).digest('hex') !== upload.sha256) throw uploadInvalid('hash');
  return bytes;
};

/** Lets go what an upload held, when it is completed, replaced or too late. */
export const dropUpload = async (tx: WriteTx, upload: UploadFacts | undefined): Promise<void> => {
  if (upload === undefined) return;
  await tx.objects.dropReferences(uploadHolder(upload.id), tx.now());
  await tx.queue.cancel(FILE_WORK.upload, upload.id);
};
