import { create } from '@bufbuild/protobuf';
import { type File, type FileSpec, FileSpecSchema } from '@svc/api/resources';
import { Fault, type FieldViolation } from '../../../base/index.ts';
import type { DesiredResource, ResourceWriter, WriteOrigin } from '../../../controllers/contract.ts';
import {
  fileName,
  recordKey,
  refusal,
  requireSameNamespace,
  type SentHolders,
  wantedHolders,
} from '../../../resources/index.ts';
import type { ResourceKey, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import {
  FACT,
  type FileSession,
  fileSpec,
  type GivenMetadata,
  type ObjectFacts,
  objectKeyLabel,
  objectOf,
  sessionOf,
} from './file-facts.ts';
import { checkFile, checkFilename, checkOwner, fillFile, mergeFile } from './file-rules.ts';
import { type FoundText, hasText, indexFile, indexMark, isTextOf, needsText, readText } from './file-text.ts';
import type { FilesDeps } from './files-deps.ts';
import { tooLarge } from './upload-faults.ts';

/** Bytes that are stored and not yet shown by a file. */
export interface NewContent {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly filename: string;
  /** Their text, where the index needs it. */
  readonly text?: FoundText;
}

/** Runs the effect in its transaction, or answers the file that an earlier run of the same call left. */
export type FileEffect = (tx: WriteTx, effect: () => Promise<StoredResource>) => Promise<StoredResource>;

const always: FileEffect = (_tx, effect) => effect();

/** A file as it shall be created. */
interface NewFile {
  readonly namespace: string;
  readonly file: File | undefined;
  readonly content: Uint8Array;
  readonly filename: string;
  /** The session that makes it, for tools of agents. */
  readonly session?: FileSession;
  readonly once?: FileEffect;
}

export const fileKey = (namespace: string, name: string): ResourceKey =>
  // A path stands for the name that is derived from it.
  recordKey('File', namespace, name.startsWith('/') ? fileName(name) : name);

/** What is asked of a file to be made. */
interface FileDraft {
  readonly namespace: string;
  readonly file: File | undefined;
  /** Name of its downloads; '' = the end of its path. */
  readonly filename?: string;
  readonly session?: FileSession | undefined;
  /** The file that has the path already, where that is not a fault. */
  readonly current?: StoredResource | undefined;
  /** Other faults of the request. */
  readonly faults?: readonly FieldViolation[];
}

/** The filled spec, key and file name of a file to be made; throws all faults of the request before any byte is stored. */
export const draftFile = (
  writer: Pick<ResourceWriter, 'metadataFaults'>,
  draft: FileDraft,
): { readonly spec: FileSpec; readonly key: ResourceKey; readonly filename: string } => {
  const { namespace, file, filename = '', session, current, faults = [] } = draft;
  requireSameNamespace(namespace, file?.metadata?.namespace ?? '');
  const spec = fillFile(file?.spec ?? create(FileSpecSchema));
  const given = file?.metadata?.name ?? '';
  const name = given === '' ? fileName(spec.path) : given;
  const owner = session ?? (current === undefined ? undefined : sessionOf(current.annotations));
  refuse([
    ...faults,
    ...checkFile(spec, { name, before: undefined }),
    ...checkOwner(spec, owner !== undefined),
    ...checkFilename(filename),
    ...writer.metadataFaults(givenMetadata(file), { current, path: 'metadata.' }),
  ]);
  return { spec, key: recordKey('File', namespace, name), filename: filename === '' ? baseName(spec.path) : filename };
};

const refuse = (faults: readonly FieldViolation[]): void => {
  if (faults.length > 0) throw refusal(faults);
};

/** Metadata that a request gives; what it gives nothing of stays as it is. */
export const givenMetadata = (file: File | undefined, sent?: SentHolders): GivenMetadata => {
  const { labels = {}, annotations = {} } = file?.metadata ?? {};
  return {
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...wantedHolders(file?.metadata, sent),
  };
};

/** Creates and replaces files with content that comes inside the request. */
export class FileWrites {
  readonly #deps: FilesDeps;

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  /** Throws PATH_TAKEN, TOO_LARGE, STORAGE_QUOTA and what the write pipeline refuses. */
  async create(origin: WriteOrigin, wanted: NewFile): Promise<StoredResource> {
    const { spec, key, filename } = draftFile(this.#deps.writer, wanted);
    const content = await this.#stored(wanted.namespace, { ...wanted, spec, filename });
    return this.#insert(origin, { ...wanted, spec, key, content });
  }

  /** A file with bytes that another holder has; the media type is theirs unless the file names one. Throws as `create`. */
  async createFrom(
    origin: WriteOrigin,
    wanted: Pick<NewFile, 'namespace' | 'file' | 'session' | 'once'> & {
      readonly content: Omit<NewContent, 'text'> & { readonly mediaType: string };
    },
  ): Promise<StoredResource> {
    const { blobs, objects, pdf } = this.#deps;
    const { namespace, file, content: source } = wanted;
    const { spec: filled, key } = draftFile(this.#deps.writer, { namespace, file, session: wanted.session });
    const hasOwnType = (file?.spec?.mediaType ?? '') !== '' || source.mediaType === '';
    const spec = hasOwnType ? filled : create(FileSpecSchema, { ...filled, mediaType: source.mediaType });
    await objects.reserve(source.sha256, source.sizeBytes);
    const content = needsText(spec, source)
      ? { ...source, text: await readText(pdf, spec.mediaType, await blobs.read(source.sha256)) }
      : source;
    return this.#insert(origin, { ...wanted, spec, key, content });
  }

  async #insert(
    origin: WriteOrigin,
    wanted: Pick<NewFile, 'file' | 'session' | 'once'> & {
      readonly spec: FileSpec;
      readonly key: ResourceKey;
      readonly content: NewContent;
    },
  ): Promise<StoredResource> {
    const { file, session, spec, key, content, once = always } = wanted;
    const insert = async (tx: WriteTx): Promise<StoredResource> => {
      await requireFreePath(tx, key, spec.path);
      const facts = contentFacts(spec, { content, previous: undefined, now: tx.now() });
      const labels = objectKeyLabel(key.namespace, content);
      const system =
        session === undefined
          ? { annotations: facts, labels }
          : {
              annotations: { ...facts, [FACT.session]: JSON.stringify(session) },
              labels: { ...labels, [FACT.session]: session.id },
            };
      const resourceVersion = file?.metadata?.resourceVersion ?? '';
      const input = { ...givenMetadata(file), key, spec, system, resourceVersion };
      const { resource } = await this.#deps.writer.create(tx, origin, input);
      await this.index(tx, resource, content);
      return resource;
    };
    return this.#deps.store.write((tx) => once(tx, () => insert(tx)));
  }

  /** Replaces what the request gives; without `content` the bytes stay. Throws FILE_NOT_FOUND, CONFLICT and as `create`. */
  async update(
    origin: WriteOrigin,
    key: ResourceKey,
    given: {
      readonly file: File | undefined;
      readonly sent?: SentHolders | undefined;
      readonly content: Uint8Array | undefined;
      readonly filename: string;
      readonly once?: FileEffect;
    },
  ): Promise<StoredResource> {
    const { store, writer } = this.#deps;
    requireSameNamespace(key.namespace, given.file?.metadata?.namespace ?? '');
    const { file, sent, filename, once = always } = given;
    const before = await store.direct.resources.get(key);
    const expected = before === undefined ? create(FileSpecSchema) : fillFile(mergeFile(fileSpec(before), file?.spec));
    refuse([
      ...(before === undefined ? [] : checkFile(expected, { name: key.name, before: fileSpec(before).path })),
      ...checkFilename(filename),
      ...writer.metadataFaults(givenMetadata(file, sent), { current: before, path: 'metadata.' }),
    ]);
    const shownName = filename === '' ? baseName(expected.path) : filename;
    const content =
      given.content === undefined
        ? undefined
        : await this.#stored(key.namespace, { spec: expected, content: given.content, filename: shownName });
    const change = async (tx: WriteTx): Promise<StoredResource> => {
      const { resource } = await writer.modify(tx, origin, {
        key,
        resourceVersion: file?.metadata?.resourceVersion ?? '',
        change: (current) => this.changed(tx, current, { file, sent, spec: file?.spec, content, filename }),
      });
      await this.index(tx, resource, content);
      return resource;
    };
    return store.write((tx) => once(tx, () => change(tx)));
  }

  /** What a file becomes with another spec and other bytes. */
  changed(
    tx: WriteTx,
    current: StoredResource,
    given: {
      readonly file?: File | undefined;
      readonly sent?: SentHolders | undefined;
      readonly spec: FileSpec | undefined;
      readonly content: NewContent | undefined;
      /** Name of downloads of bytes that stay; '' or absent leaves it. */
      readonly filename?: string;
    },
  ): DesiredResource {
    const spec = fillFile(mergeFile(fileSpec(current), given.spec));
    const { content, filename = '' } = given;
    const desired = { ...givenMetadata(given.file, given.sent), spec };
    const previous = objectOf(current.annotations);
    if (content === undefined)
      return filename === '' || previous === undefined
        ? desired
        : { ...desired, system: { annotations: { [FACT.object]: JSON.stringify({ ...previous, filename }) } } };
    const facts = contentFacts(spec, { content, previous, now: tx.now() });
    return { ...desired, system: { annotations: facts, labels: objectKeyLabel(current.key.namespace, content) } };
  }

  /** Indexes the new bytes in the transaction that shows them; without them the work is queued by the kind. */
  async index(tx: WriteTx, stored: StoredResource, content: NewContent | undefined): Promise<void> {
    const spec = fileSpec(stored);
    const mark = indexMark(spec, objectOf(stored.annotations));
    if (content === undefined || mark === undefined || stored.annotations[FACT.indexed] !== mark) return;
    await indexFile(tx, { stored, spec, text: content.text?.text ?? '' }, this.#deps.form);
    await tx.queue.cancel('file.index', stored.uid);
  }

  async #stored(
    namespace: string,
    given: { readonly spec: FileSpec; readonly content: Uint8Array; readonly filename: string },
  ): Promise<NewContent> {
    const { inlineBytes } = this.#deps.limits;
    const { content: bytes, spec, filename } = given;
    if (bytes.length > inlineBytes) throw tooLarge('the content', inlineBytes);
    const facts = { mediaType: spec.mediaType, filename };
    const { sha256, sizeBytes } = await this.#deps.objects.store(namespace, bytes, facts);
    const content = { sha256, sizeBytes, filename };
    return needsText(spec, content)
      ? { ...content, text: await readText(this.#deps.pdf, spec.mediaType, bytes) }
      : content;
  }
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

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
    sha256,
    sizeBytes,
    filename,
    mediaType: spec.mediaType,
    updatedAt: isSame ? previous.updatedAt : now,
  };
  const isIndexable = !hasText(spec, content) || isTextOf(spec, content.text);
  const isUnreadable = content.text !== undefined && content.text.text === undefined;
  return {
    [FACT.object]: JSON.stringify(object),
    [FACT.damaged]: undefined,
    [FACT.unreadable]: isUnreadable ? sha256 : undefined,
    ...(isIndexable ? { [FACT.indexed]: indexMark(spec, object) } : {}),
  };
};
