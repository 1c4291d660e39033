import { FileIndexPolicy, FilePurpose, type FileSpec } from '@svc/api/resources';
import type { SearchChunk, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import type { ObjectFacts } from './file-facts.ts';
import { identityFolder, ownerOf } from './file-rules.ts';
import { htmlText } from './html-text.ts';

/** Text up to this size is indexed. */
export const INDEXED_MAX = 8 * 1024 * 1024;

const HTML = new Set(['text/html', 'application/xhtml+xml']);
const TEXT = /^(?:text\/.+|application\/(?:[\w.-]+\+)?(?:json|yaml|x-yaml|xml)|application\/x-ndjson)$/;

const PDF = 'application/pdf';

const bareType = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** True for media types whose text is indexed. */
export const isIndexable = (mediaType: string): boolean => {
  const type = bareType(mediaType);
  return TEXT.test(type) || HTML.has(type) || type === PDF;
};

/** What the index holds of a file once it is up to date; undefined when it shall hold nothing. */
export const indexMark = (spec: FileSpec, object: ObjectFacts | undefined): string | undefined =>
  object === undefined || spec.indexPolicy <= FileIndexPolicy.NONE
    ? undefined
    : `${spec.indexPolicy} ${object.sha256} ${bareType(spec.mediaType)}${spec.purpose === FilePurpose.MEMORY ? ' memory' : ''}`;

/** True when the bytes have text for the index; other files are found by their path only. */
export const hasText = (spec: Pick<FileSpec, 'mediaType'>, object: Pick<ObjectFacts, 'sizeBytes'>): boolean =>
  isIndexable(spec.mediaType) && object.sizeBytes <= INDEXED_MAX;

/** True when that text is needed: the file shall be found, and by more than its path. */
export const needsText = (spec: FileSpec, object: Pick<ObjectFacts, 'sizeBytes'>): boolean =>
  spec.indexPolicy > FileIndexPolicy.NONE && hasText(spec, object);

/** Reads PDF documents; undefined for one whose text cannot be read. */
export interface PdfReader {
  text(bytes: Uint8Array): Promise<string | undefined>;
}

/** The text of some bytes, read as one media type. */
export interface FoundText {
  readonly mediaType: string;
  /** As it is searched; undefined when it cannot be read. */
  readonly text: string | undefined;
}

/** Reads text for the index, outside of any transaction. The bytes are of a type that has text (`hasText`). */
export const readText = async (pdf: PdfReader, mediaType: string, bytes: Uint8Array): Promise<FoundText> => {
  const type = bareType(mediaType);
  if (type === PDF) return { mediaType: type, text: await pdf.text(bytes) };
  const text = new TextDecoder().decode(bytes);
  return { mediaType: type, text: HTML.has(type) ? htmlText(text) : text };
};

/** True when the text was read as what the file says that it is. */
export const isTextOf = (spec: FileSpec, found: FoundText | undefined): boolean =>
  found?.mediaType === bareType(spec.mediaType);

/** How documents are cut and compared: the rules of knowledge, handed in by app. */
export interface DocumentForm {
  readonly chunks: (text: string) => readonly SearchChunk[];
  readonly words: (text: string) => string;
}

const sharedMemory = (namespace: string): string => `~memory/${namespace}`;
const ownedFiles = (namespace: string, owner: string): string => `~identity/${owner}/${namespace}`;

/**
 * Which searches find the text of files, under names that no namespace has: files of an identity are in a place of their own, which only
 * searches for that identity name. RETRIEVAL is part of the knowledge of its namespace, SEARCH is next to it, memory by itself.
 */
const searchPlace = (namespace: string, { path, purpose, indexPolicy }: FileSpec): string => {
  const owner = ownerOf(path);
  if (owner !== undefined) return ownedFiles(namespace, owner);
  if (indexPolicy === FileIndexPolicy.RETRIEVAL) return namespace;
  return purpose === FilePurpose.MEMORY ? sharedMemory(namespace) : `~${namespace}`;
};

/** Where memory is found that an identity may see; other files may be there as well. */
export const memoryPlaces = (namespace: string, identity: string): readonly string[] => [
  ownedFiles(namespace, ownerOf(identityFolder(identity)) ?? ''),
  sharedMemory(namespace),
  namespace,
];

/** Where files are found that are not memory, or that only are in knowledge. */
export const filePlaces = (namespace: string): readonly string[] => [`~${namespace}`, namespace];

/** Puts the text of a stored file into the index, in place of what was there. */
export const indexFile = async (
  tx: Pick<WriteTx, 'search'>,
  file: { readonly stored: StoredResource; readonly spec: FileSpec; readonly text: string },
  form: DocumentForm,
): Promise<void> => {
  const { stored, spec, text } = file;
  await tx.search.index({
    source: stored.uid,
    kind: 'File',
    namespace: searchPlace(stored.key.namespace, spec),
    name: stored.key.name,
    path: spec.path,
    pathWords: form.words(spec.path),
    updatedAt: stored.updatedAt,
    chunks: form.chunks(text),
  });
};
