import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Fault } from '../../../../base/index.ts';
import { archiveDamaged } from './archive-faults.ts';

/** The form of archives that this release writes, and the newest it reads. */
export const ARCHIVE_FORMAT = 1;

/** Names inside an archive. The first entry tells the form, the last one what must have been read. */
export const FORMAT_ENTRY = 'svc-backup.json';
/** Names of the entries of an archive. */
export const MANIFEST_ENTRY = 'manifest.json';
export const KEYS_ENTRY = 'keys.sealed';
export const tableEntry = (table: string, chunk: number): string =>
  `tables/${table}-${String(chunk).padStart(6, '0')}.ndjson`;
export const objectEntry = (sha256: string): string => `objects/${sha256}`;
export const TABLE_ENTRY = /^tables\/([a-z_]+)-\d{6,}\.ndjson$/;
export const OBJECT_ENTRY = /^objects\/([0-9a-f]{64})$/;

/** Where an archive comes from. */
export interface ArchiveFacts {
  /** Release that wrote it. */
  readonly svc: string;
  readonly cluster_id: string;
  /** Engine of the store, and its newest migration. Archives of one engine are read by every other one. */
  readonly engine: string;
  readonly schema: number;
  /** RFC 3339. */
  readonly created_at: string;
  /** Epoch of the store when it was dumped. */
  readonly epoch: string;
}

/** What an archive holds, as told at its end. */
export interface Manifest extends ArchiveFacts {
  readonly format: number;
  /** Rows by table; empty tables are left out. */
  readonly tables: Readonly<Record<string, number>>;
  /** Every entry but objects. */
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** `sha256` is over the hashes and sizes of all objects in order: an object that is missing changes it. */
  readonly objects: { readonly count: number; readonly bytes: number; readonly sha256: string };
  /** Objects that were referred to, but missing or damaged when the backup was made. */
  readonly lost_objects: readonly string[];
}

type Contents = Pick<Manifest, 'tables' | 'files' | 'objects'>;

/** What went into an archive, or came out of one; both sides keep the same books. */
export class Ledger {
  readonly #tables: Record<string, number> = {};
  readonly #files: { name: string; bytes: number; sha256: string }[] = [];
  readonly #objects = createHash('sha256');
  #objectCount = 0;
  #objectBytes = 0;

  addFile(name: string, bytes: Uint8Array): void {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#files.push({ name, bytes: bytes.byteLength, sha256 });
  }

  addRows(table: string, count: number): void {
    this.#tables[table] = (this.#tables[table] ?? 0) + count;
  }

  addObject(sha256: string, sizeBytes: number): void {
    this.#objects.update(`${sha256} ${sizeBytes}\n`);
    this.#objectCount += 1;
    this.#objectBytes += sizeBytes;
  }

  contents(): Contents {
    const sha256 = this.#objects.copy().digest('hex');
    const objects = { count: this.#objectCount, bytes: this.#objectBytes, sha256 };
    return { tables: { ...this.#tables }, files: [...this.#files], objects };
  }

  /** Fault ARCHIVE_DAMAGED unless exactly this was promised. */
  compare(manifest: Manifest): void {
    const { tables, files, objects } = this.contents();
    const other = files.find((file, index) => !isDeepStrictEqual(file, manifest.files[index]));
    if (other !== undefined) throw archiveDamaged(`${other.name} is not what was written`);
    if (files.length !== manifest.files.length) throw archiveDamaged('files are missing from it');
    if (!isDeepStrictEqual(tables, manifest.tables)) throw archiveDamaged('rows are missing from it');
    if (!isDeepStrictEqual(objects, manifest.objects)) throw archiveDamaged('objects are missing from it');
  }
}

const parse = (text: string, name: string): Readonly<Record<string, unknown>> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw archiveDamaged(`${name} is not JSON`, error);
  }
  if (typeof value !== 'object' || value === null) throw archiveDamaged(`${name} is not an object`);
  return value as Readonly<Record<string, unknown>>;
};

/** Refuses archives of a form that this release does not know: FAILED_PRECONDITION ARCHIVE_TOO_NEW. */
export const checkFormat = (text: string): void => {
  const { format, svc } = parse(text, FORMAT_ENTRY);
  if (typeof format !== 'number') throw archiveDamaged(`${FORMAT_ENTRY} tells no format`);
  if (format > ARCHIVE_FORMAT)
    throw new Fault(
      'FAILED_PRECONDITION',
      'ARCHIVE_TOO_NEW',
      `the archive was written by svc ${String(svc)} in format ${format}; this release reads up to ${ARCHIVE_FORMAT}`,
    );
};

/** The end of an archive. Its bytes are sealed, so that what it says needs no second check of each field. */
export const parseManifest = (text: string): Manifest => {
  const value = parse(text, MANIFEST_ENTRY) as Partial<Manifest>;
  const isWhole = value.tables !== undefined && Array.isArray(value.files) && value.objects !== undefined;
  if (!isWhole || !Array.isArray(value.lost_objects)) throw archiveDamaged(`${MANIFEST_ENTRY} is incomplete`);
  return value as Manifest;
};
