import { FileRetention } from '@svc/api/resources';
import { isFault } from '../../../base/index.ts';
import {
  DONE,
  type QueueWorker,
  type ReconcileOutcome,
  type Reconciler,
  type ResourceWriter,
  type WorkItem,
} from '../../../controllers/contract.ts';
import {
  type BlobStore,
  everyResource,
  type ResourceKey,
  type ResourceReads,
  type Store,
  type StoredResource,
  type WriteTx,
} from '../../../store/contracts/index.ts';
import { markDamaged, statusFor } from './file-damage.ts';
import {
  FACT,
  FILES_ORIGIN,
  fileSpec,
  lacksObjectKey,
  objectKeyLabel,
  objectOf,
  sessionOf,
  uploadOf,
} from './file-facts.ts';
import { FILE_WORK } from './file-kind.ts';
import { type DocumentForm, hasText, indexFile, indexMark, type PdfReader, readText } from './file-text.ts';
import { dropUpload } from './file-uploads.ts';

interface FileWorkDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly writer: ResourceWriter;
  readonly blobs: BlobStore;
  readonly form: DocumentForm;
  readonly pdf: PdfReader;
}

/** Ends uploads and unused files at their time, and indexes bytes that came before their file was to be found. */
export class FileWorker implements QueueWorker {
  readonly kinds = Object.values(FILE_WORK);
  readonly datedKinds = [FILE_WORK.upload];
  readonly #deps: FileWorkDeps;

  constructor(deps: FileWorkDeps) {
    this.#deps = deps;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const key = JSON.parse(item.payload) as ResourceKey;
    switch (item.kind) {
      case FILE_WORK.upload:
        return this.#endUpload(key, item.key);
      case FILE_WORK.unused:
        return this.#removeUnused(key, item.key);
      default:
        return this.#index(key, item.key);
    }
  }

  async #endUpload(key: ResourceKey, id: string): Promise<ReconcileOutcome> {
    const { store, writer } = this.#deps;
    return store.write(async (tx) => {
      const record = await tx.resources.get(key);
      const upload = record === undefined ? undefined : uploadOf(record.annotations);
      if (record === undefined || upload?.id !== id) return DONE;
      const leftMicros = upload.expiresAt - tx.now();
      if (leftMicros > 0) return { againMs: Math.ceil(leftMicros / 1_000) };
      await dropUpload(tx, upload);
      if (objectOf(record.annotations) === undefined) {
        await writer.remove(tx, FILES_ORIGIN, { key, bySystem: true });
        return DONE;
      }
      const system = { annotations: { [FACT.upload]: undefined }, labels: { [FACT.upload]: undefined } };
      await writer.writeStatus(tx, key, (current) => statusFor(current, system, tx.now()));
      return DONE;
    });
  }

  async #removeUnused(key: ResourceKey, uid: string): Promise<ReconcileOutcome> {
    const { store, writer } = this.#deps;
    return store.write(async (tx) => {
      const record = await tx.resources.get(key);
      const isDue = record?.uid === uid && fileSpec(record).retention === FileRetention.EPHEMERAL;
      if (isDue) await writer.remove(tx, FILES_ORIGIN, { key, bySystem: true });
      return DONE;
    });
  }

  async #index(key: ResourceKey, uid: string): Promise<ReconcileOutcome> {
    const { store, writer } = this.#deps;
    const record = await store.direct.resources.get(key);
    if (record?.uid !== uid) return DONE;
    const mark = indexMark(fileSpec(record), objectOf(record.annotations));
    if (mark === undefined || record.annotations[FACT.indexed] === mark) return DONE;
    const found = await this.#text(record);
    if (found === undefined) return DONE;
    const unreadable = found.text === undefined ? objectOf(record.annotations)?.sha256 : undefined;
    const annotations = { [FACT.indexed]: mark, [FACT.unreadable]: unreadable };
    return store.write(async (tx) => {
      const stored = await writer.writeStatus(tx, key, (current) =>
        isSubject(current, uid, mark) ? statusFor(current, { annotations }, tx.now()) : undefined,
      );
      if (stored !== undefined && isSubject(stored, uid, mark))
        await indexFile(tx, { stored, spec: fileSpec(stored), text: found.text ?? '' }, this.#deps.form);
      return DONE;
    });
  }

  /** Undefined when the bytes are damaged: the file says so, and new bytes are indexed as they come. */
  async #text(record: StoredResource): Promise<{ readonly text: string | undefined } | undefined> {
    const object = objectOf(record.annotations);
    const { mediaType, ...spec } = fileSpec(record);
    if (object === undefined || !hasText({ ...spec, mediaType }, object)) return { text: '' };
    try {
      return await readText(this.#deps.pdf, mediaType, await this.#deps.blobs.read(object.sha256));
    } catch (error) {
      if (!isFault(error) || !(await markDamaged(this.#deps, record.key, { error, sha256: object.sha256 })))
        throw error;
      return undefined;
    }
  }
}

const isSubject = (record: StoredResource, uid: string, mark: string): boolean =>
  record.uid === uid && indexMark(fileSpec(record), objectOf(record.annotations)) === mark;

const RESYNC_MS = 3_600_000;

/** Removes SESSION files when their session is gone, however it went, and gives files of older releases the key by which they are found. */
export const fileController = (deps: Pick<FileWorkDeps, 'store' | 'writer'>): Reconciler => ({
  name: 'file',
  kinds: ['File'],
  resyncMs: RESYNC_MS,
  checksResourcesOnly: true,
  concerns: ({ change, resource: { key } }) => key.kind === (change === 'deleted' ? 'Session' : 'File'),
  keysFor: async (change, reads) => {
    const { key } = change.resource;
    if (key.kind === 'File') return [key];
    const labels = [{ op: 'in' as const, key: FACT.session, values: [key.name] }];
    const scope = { type: 'namespace', namespace: key.namespace } as const;
    return (await everyResource(reads, { kind: 'File', scope, labels })).map((record) => record.key);
  },
  check: async (record, { resources }) =>
    lacksObjectKey(record) || (await isOrphan(resources, record)) ? { due: true } : DONE,
  reconcile: async (key) => {
    await deps.store.write((tx) => settle(deps.writer, tx, key));
    return DONE;
  },
});

const isSessionFile = (record: StoredResource): boolean => fileSpec(record).retention === FileRetention.SESSION;

const settle = async (writer: ResourceWriter, tx: WriteTx, key: ResourceKey): Promise<void> => {
  const record = await tx.resources.get(key);
  if (record === undefined) return;
  if (await isOrphan(tx.resources, record)) {
    await writer.remove(tx, FILES_ORIGIN, { key, bySystem: true });
    return;
  }
  await writer.writeStatus(tx, key, (current) => {
    const object = objectOf(current.annotations);
    if (object === undefined || !lacksObjectKey(current)) return undefined;
    return { system: { labels: objectKeyLabel(key.namespace, object) } };
  });
};

/** True for a SESSION file whose session is gone. */
const isOrphan = async (resources: Pick<ResourceReads, 'get'>, record: StoredResource): Promise<boolean> => {
  const session = sessionOf(record.annotations);
  if (session === undefined || !isSessionFile(record)) return false;
  const { namespace } = record.key;
  return (await resources.get({ kind: 'Session', namespace, parent: session.agent, name: session.id })) === undefined;
};
