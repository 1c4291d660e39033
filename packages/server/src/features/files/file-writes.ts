import { create } from '@bufbuild/protobuf';
import { type File, type FileSpec, FileSpecSchema } from '@svc/api/resources';
import { Fault, invalidField, invalidFields } from '../../base/index.ts';
import type { DesiredResource, WriteOrigin } from '../../controllers/contract.ts';
import { recordKey, requireSameNamespace } from '../../resources/index.ts';
import type { ResourceKey, StoredResource, WriteTx } from '../../store/contracts/index.ts';
import { FACT, type FileSession, fileSpec, type ObjectFacts, objectOf } from './file-facts.ts';
import { checkFile, fileName, fillFile, mergeFile } from './file-rules.ts';
import { hasText, indexFile, indexMark, textOf } from './file-text.ts';
import type { FilesDeps } from './files-deps.ts';
import { tooLarge } from './upload-faults.ts';

/** Bytes that are stored and not yet shown by a file. */
export interface NewContent {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly filename: string;
  /** The whole bytes, where the index needs them. */
  readonly bytes?: Uint8Array;
}

/** A file as it shall be created. */
export interface NewFile {
  readonly namespace: string;
  readonly file: File | undefined;
  readonly content: Uint8Array;
  readonly filename: string;
  /** The session that makes it, for tools of agents. */
  readonly session?: FileSession;
}

export const fileKey = (namespace: string, name: string): ResourceKey =>
  // A path stands for the name that is derived from it.
  recordKey('File', namespace, name.startsWith('/') ? fileName(name) : name);

/** The filled spec and key of a file to be made; throws all faults of its fields before any byte is stored. */
export const newFileSpec = (
  namespace: string,
  file: File | undefined,
): { readonly spec: FileSpec; readonly key: ResourceKey } => {
  requireSameNamespace(namespace, file?.metadata?.namespace ?? '');
  const spec = fillFile(file?.spec ?? create(FileSpecSchema));
  const given = file?.metadata?.name ?? '';
  const name = given === '' ? fileName(spec.path) : given;
  const faults = checkFile(spec, { name, before: undefined });
  if (faults.length > 0) throw invalidFields(faults);
  return { spec, key: recordKey('File', namespace, name) };
};

/** Labels and annotations that a request gives; a request without any leaves them as they are. */
const givenMetadata = (file: File | undefined): DesiredResource => {
  const { labels = {}, annotations = {} } = file?.metadata ?? {};
  return {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
};

/** Creates and replaces files with content that comes inside the request (API-9.4). */
export class FileWrites {
  readonly #deps: FilesDeps;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  /** Throws PATH_TAKEN, TOO_LARGE, STORAGE_QUOTA and what the write pipeline refuses. */
  async create(origin: WriteOrigin, wanted: NewFile): Promise<StoredResource> {
    const { namespace, file } = wanted;
    const { spec, key } = newFileSpec(namespace, file);
    const content = await this.#stored(namespace, { spec, ...wanted });
    return this.#insert(origin, { ...wanted, spec, key, content });
  }

  /** A file with bytes that another holder has; the media type is theirs unless the file names one. Throws as `create`. */
  async createFrom(
    origin: WriteOrigin,
    wanted: Pick<NewFile, 'namespace' | 'file' | 'session'> & {
      readonly content: Omit<NewContent, 'bytes'> & { readonly mediaType: string };
    },
  ): Promise<StoredResource> {
    const { blobs, objects } = this.#deps;
    const { namespace, file, content: source } = wanted;
    const { spec: filled, key } = newFileSpec(namespace, file);
    const hasOwnType = (file?.spec?.mediaType ?? '') !== '' || source.mediaType === '';
    const spec = hasOwnType ? filled : create(FileSpecSchema, { ...filled, mediaType: source.mediaType });
    await objects.pins.pin(source.sha256);
    const content = hasText(spec, source) ? { ...source, bytes: await blobs.read(source.sha256) } : source;
    return this.#insert(origin, { ...wanted, spec, key, content });
  }

  async #insert(
    origin: WriteOrigin,
    wanted: Pick<NewFile, 'file' | 'session'> & {
      readonly spec: FileSpec;
      readonly key: ResourceKey;
      readonly content: NewContent;
    },
  ): Promise<StoredResource> {
    const { file, session, spec, key, content } = wanted;
    return this.#deps.store.write(async (tx) => {
      await requireFreePath(tx, key, spec.path);
      const facts = contentFacts(spec, { content, previous: undefined, now: tx.now() });
      const system =
        session === undefined
          ? { annotations: facts }
          : {
              annotations: { ...facts, [FACT.session]: JSON.stringify(session) },
              labels: { [FACT.session]: session.id },
            };
      const { labels = {}, annotations = {} } = file?.metadata ?? {};
      const input = { key, spec, labels, annotations, system };
      const { resource } = await this.#deps.writer.create(tx, origin, input);
      await this.index(tx, resource, content);
      return resource;
    });
  }

  /** Replaces what the request gives; without `content` the bytes stay. Throws FILE_NOT_FOUND, CONFLICT and as `create`. */
  async update(
    origin: WriteOrigin,
    key: ResourceKey,
    given: { readonly file: File | undefined; readonly content: Uint8Array | undefined; readonly filename: string },
  ): Promise<StoredResource> {
    const { store, writer } = this.#deps;
    requireSameNamespace(key.namespace, given.file?.metadata?.namespace ?? '');
    const before = await store.direct.resources.get(key);
    const expected = before === undefined ? create(FileSpecSchema) : mergeFile(fileSpec(before), given.file?.spec);
    const content =
      given.content === undefined
        ? undefined
        : await this.#stored(key.namespace, { spec: expected, content: given.content, filename: given.filename });
    return store.write(async (tx) => {
      const { resource } = await writer.modify(tx, origin, {
        key,
        resourceVersion: given.file?.metadata?.resourceVersion ?? '',
        change: (current) => this.changed(tx, current, { file: given.file, spec: given.file?.spec, content }),
      });
      await this.index(tx, resource, content);
      return resource;
    });
  }

  /** What a file becomes with another spec and other bytes. */
  changed(
    tx: WriteTx,
    current: StoredResource,
    given: {
      readonly file?: File | undefined;
      readonly spec: FileSpec | undefined;
      readonly content: NewContent | undefined;
    },
  ): DesiredResource {
    const spec = fillFile(mergeFile(fileSpec(current), given.spec));
    const { content } = given;
    const desired = { ...givenMetadata(given.file), spec };
    if (content === undefined) return desired;
    const facts = contentFacts(spec, { content, previous: objectOf(current.annotations), now: tx.now() });
    return { ...desired, system: { annotations: facts } };
  }

  /** Indexes the new bytes in the transaction that shows them; without them the work is queued by the kind. */
  async index(tx: WriteTx, stored: StoredResource, content: NewContent | undefined): Promise<void> {
    const spec = fileSpec(stored);
    const mark = indexMark(spec, objectOf(stored.annotations));
    if (content === undefined || mark === undefined || stored.annotations[FACT.indexed] !== mark) return;
    const text = content.bytes === undefined ? '' : textOf(spec.mediaType, content.bytes);
    await indexFile(tx, { stored, spec, text }, this.#deps.form);
    await tx.queue.cancel('file.index', stored.uid);
  }

  async #stored(
    namespace: string,
    given: { readonly spec: FileSpec; readonly content: Uint8Array; readonly filename: string },
  ): Promise<NewContent> {
    const { inlineBytes } = this.#deps.limits;
    const { content: bytes, spec } = given;
    if (bytes.length > inlineBytes) throw tooLarge('the content', inlineBytes);
    const filename = requireFilename(given.filename === '' ? baseName(spec.path) : given.filename);
    const facts = { mediaType: spec.mediaType, filename };
    const { sha256, sizeBytes } = await this.#deps.objects.store(namespace, bytes, facts);
    return { sha256, sizeBytes, filename, bytes };
  }
}

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** As long as a path may be: the name is its last segment when none is given. */
const FILENAME_MAX = 1_024;

/** Throws FIELD_INVALID for a name that no download can have. */
export const requireFilename = (filename: string): string => {
  if (filename.length > FILENAME_MAX || !filename.isWellFormed() || /[\p{Cc}/\\]/u.test(filename))
    throw invalidField('filename', 'must be a plain file name', 'FILE_NAME');
  return filename;
};

const requireFreePath = async (tx: WriteTx, key: ResourceKey, path: string): Promise<void> => {
  if ((await tx.resources.get(key)) === undefined) return;
  throw new Fault('ALREADY_EXISTS', 'PATH_TAKEN', `a file has this path already: ${path}`, {
    metadata: { ns: key.namespace, path, name: key.name },
  });
};

/** The private keys of a file with these bytes; the index mark is set when the bytes can be indexed at once. */
const contentFacts = (
  spec: FileSpec,
  about: { readonly content: NewContent; readonly previous: ObjectFacts | undefined; readonly now: number },
): Record<string, string | undefined> => {
  const { content, previous, now } = about;
  const { sha256, sizeBytes, filename } = content;
  const isSame = previous?.sha256 === sha256;
  const object: ObjectFacts = {
    ...{ sha256, sizeBytes, filename, mediaType: spec.mediaType },
    updatedAt: isSame ? previous.updatedAt : now,
  };
  const isIndexable = content.bytes !== undefined || !hasText(spec, content);
  return {
    [FACT.object]: JSON.stringify(object),
    [FACT.damaged]: undefined,
    ...(isIndexable ? { [FACT.indexed]: indexMark(spec, object) } : {}),
  };
};
