import { FileRetention, type FileSpec } from '@svc/api/resources';
import { Fault, invalidFields } from '../../../base/index.ts';
import { type KindContract, kindContract, type SpecWrite } from '../../../controllers/contract.ts';
import { fileName } from '../../../resources/index.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import {
  FACT,
  fileHolder,
  fileSpec,
  namespaceHolder,
  objectOf,
  sessionOf,
  uploadHolder,
  uploadOf,
} from './file-facts.ts';
import { checkFile, checkOwner, fillFile } from './file-rules.ts';
import { fileStatus } from './file-status.ts';
import { indexMark } from './file-text.ts';

/** Queue items of files: an upload that expires, an unused file that goes, a text to be indexed. */
export const FILE_WORK = { upload: 'file.upload', unused: 'file.unused', index: 'file.index' } as const;

export interface FileKindDeps {
  /** `files.namespaceBytes`; 0 = no budget. */
  readonly namespaceBytes: number;
  /** `files.ephemeralDays`. */
  readonly ephemeralMicros: number;
}

/** How files are written, whichever operation writes them; bytes are named by private keys of the record. */
export const fileContract = (deps: FileKindDeps): KindContract =>
  kindContract<FileSpec>({
    kind: 'File',
    derivedName: ({ path }) => fileName(path),
    defaults: fillFile,
    validate: ({ spec, key, current }) =>
      checkFile(spec, { name: key.name, before: current === undefined ? undefined : fileSpec(current).path }),
    systemKeys: async (_tx, { spec, current }) =>
      indexMark(spec, objectOf(current?.annotations ?? {})) === undefined
        ? { annotations: { [FACT.indexed]: undefined } }
        : {},
    observe: async (tx, write) => {
      requireSession(write);
      const { key, spec, annotations, generation, current } = write;
      const subject = { namespace: key.namespace, spec, annotations, generation, status: current?.status ?? '' };
      return fileStatus(subject, tx.now());
    },
    applied: async (tx, write) => {
      await holdObject(deps, tx, write);
      await settleIndex(tx, write.stored, write.spec);
      await armUnused(deps, tx, write.stored);
    },
    removing: removeRemains,
  });

/** Judged here because neither `validate` nor `admit` sees the keys the program sets. */
const requireSession = ({ spec, annotations }: SpecWrite<FileSpec>): void => {
  const faults = checkOwner(spec, sessionOf(annotations) !== undefined);
  if (faults.length > 0) throw invalidFields(faults);
};

/** The file refers to the bytes it shows and to no others; the budget counts every file of the namespace. */
const holdObject = async (
  { namespaceBytes }: FileKindDeps,
  tx: WriteTx,
  write: SpecWrite<FileSpec> & { readonly stored: StoredResource },
): Promise<void> => {
  const { stored, current } = write;
  const object = objectOf(stored.annotations);
  const before = current === undefined ? undefined : objectOf(current.annotations);
  if (object === undefined || object.sha256 === before?.sha256) return;
  const { namespace } = stored.key;
  const holder = fileHolder(stored.key, stored.uid);
  const { sha256, sizeBytes, mediaType } = object;
  await tx.objects.dropReferences(holder, tx.steadyNow());
  await tx.objects.addReference({ namespace, sha256, sizeBytes, mediaType, holder, at: tx.now() });
  if (sizeBytes > (before?.sizeBytes ?? 0)) await requireRoom(tx, { namespace, namespaceBytes, addedBytes: 0 });
};

/** Throws STORAGE_QUOTA when the files of the namespace and `addedBytes` more are over its budget. */
export const requireRoom = async (
  tx: Pick<WriteTx, 'objects'>,
  asked: { readonly namespace: string; readonly namespaceBytes: number; readonly addedBytes: number },
): Promise<void> => {
  const { namespace, namespaceBytes, addedBytes } = asked;
  if (namespaceBytes === 0) return;
  const used = (await tx.objects.heldBytes(namespaceHolder(namespace))) + addedBytes;
  if (used <= namespaceBytes) return;
  throw new Fault('RESOURCE_EXHAUSTED', 'STORAGE_QUOTA', `the files of ${namespace} are over their budget`, {
    metadata: { ns: namespace, max_bytes: String(namespaceBytes) },
  });
};

/** A file that shall not be found is taken out; one whose text is not indexed yet is worked on behind the write. */
const settleIndex = async (tx: WriteTx, stored: StoredResource, spec: FileSpec): Promise<void> => {
  const mark = indexMark(spec, objectOf(stored.annotations));
  if (mark === undefined) {
    await tx.search.remove(stored.uid);
    await tx.queue.cancel(FILE_WORK.index, stored.uid);
    return;
  }
  if (stored.annotations[FACT.indexed] === mark) return;
  const payload = JSON.stringify(stored.key);
  const item = { kind: FILE_WORK.index, key: stored.uid, dueAt: tx.steadyNow(), attempts: 0, payload };
  await tx.queue.put(item, { replace: true });
};

/** Restarts the lifetime of an EPHEMERAL file, at each write and read; other files have none. */
export const armUnused = async (
  { ephemeralMicros }: Pick<FileKindDeps, 'ephemeralMicros'>,
  tx: WriteTx,
  stored: StoredResource,
): Promise<void> => {
  if (fileSpec(stored).retention !== FileRetention.EPHEMERAL) return tx.queue.cancel(FILE_WORK.unused, stored.uid);
  const dueAt = tx.steadyNow() + ephemeralMicros;
  const payload = JSON.stringify(stored.key);
  await tx.queue.put({ kind: FILE_WORK.unused, key: stored.uid, dueAt, attempts: 0, payload }, { replace: true });
};

const removeRemains = async (tx: WriteTx, file: StoredResource): Promise<void> => {
  await tx.search.remove(file.uid);
  await tx.objects.dropReferences(fileHolder(file.key, file.uid), tx.steadyNow());
  await tx.queue.cancel(FILE_WORK.index, file.uid);
  await tx.queue.cancel(FILE_WORK.unused, file.uid);
  const upload = uploadOf(file.annotations);
  if (upload === undefined) return;
  await tx.objects.dropReferences(uploadHolder(upload.id), tx.steadyNow());
  await tx.queue.cancel(FILE_WORK.upload, upload.id);
};
