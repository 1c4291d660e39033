import { Buffer } from 'node:buffer';
import { isFault } from '../../../../base/index.ts';
import {
  type BlobStore,
  DUMP_TABLES,
  type DumpRow,
  type DumpTable,
  INSTANCE_EPOCH,
  type StoreDump,
} from '../../../../store/contracts/index.ts';
import { type ArchiveEntry, formatText, manifestEntry, placeArchive, tarOf, wholeEntry } from './archive-entries.ts';
import {
  ARCHIVE_FORMAT,
  type ArchiveFacts,
  FORMAT_ENTRY,
  KEYS_ENTRY,
  Ledger,
  type Manifest,
  objectEntry,
  tableEntry,
} from './manifest.ts';
import type { SealedFile } from './sealed-stream.ts';

/** What goes into an archive. The dump stays the caller's to close. */
export interface ArchiveSource {
  readonly dump: StoreDump;
  readonly blobs: Pick<BlobStore, 'stream'>;
  readonly facts: Pick<ArchiveFacts, 'svc' | 'cluster_id' | 'created_at'>;
  /** Sealed key files. */
  readonly keys?: Uint8Array;
  /** Ends the writing with its reason; checked before each file of the archive. */
  readonly signal?: AbortSignal;
}

export interface WrittenArchive extends SealedFile {
  readonly manifest: Manifest;
}

/** Rows are gathered into files of about this size, so that no table is ever whole in memory. */
const CHUNK_BYTES = 1024 * 1024;
/** Objects up to this size are read once; larger ones once to verify them and once to copy them. */
const KEPT_BYTES = 4 * 1024 * 1024;

/**
 * Writes a whole archive next to `file` and then gives it its name, durably. Fault ALREADY_EXISTS FILE_EXISTS when the name
 * is taken; a failure leaves nothing.
 */
export const writeArchive = async (file: string, source: ArchiveSource): Promise<WrittenArchive> => {
  const writing = new ArchiveWriting(source);
  const sealed = await placeArchive(file, writing.tar());
  return { ...sealed, manifest: writing.manifest };
};

class ArchiveWriting {
  readonly #source: ArchiveSource;
  readonly #ledger = new Ledger();
  readonly #lost: string[] = [];
  #epoch = '';

  constructor(source: ArchiveSource) {
    this.#source = source;
  }

  /** What was written so far; complete once `tar` has ended. */
  get manifest(): Manifest {
    const { facts, dump } = this.#source;
    return {
      format: ARCHIVE_FORMAT,
      ...facts,
      engine: dump.engine,
      schema: dump.schema,
      epoch: this.#epoch,
      ...this.#ledger.contents(),
      lost_objects: this.#lost,
    };
  }

  tar(): AsyncIterable<Uint8Array> {
    const { facts, signal } = this.#source;
    return tarOf(this.#entries(), Math.floor(Date.parse(facts.created_at) / 1000), signal);
  }

  async *#entries(): AsyncGenerator<ArchiveEntry> {
    const { facts, keys } = this.#source;
    yield this.#file(FORMAT_ENTRY, formatText(facts.svc));
    for (const table of DUMP_TABLES) yield* this.#table(table);
    yield* this.#objects();
    if (keys !== undefined) yield this.#file(KEYS_ENTRY, keys);
    yield manifestEntry(this.manifest);
  }

  #file(name: string, bytes: Uint8Array): ArchiveEntry {
    this.#ledger.addFile(name, bytes);
    return wholeEntry(name, bytes);
  }

  async *#table(table: DumpTable): AsyncGenerator<ArchiveEntry> {
    let [lines, bytes, chunk]: [string[], number, number] = [[], 0, 0];
    const flush = (): ArchiveEntry => {
      const entry = this.#file(tableEntry(table.name, ++chunk), Buffer.from(lines.join('')));
      [lines, bytes] = [[], 0];
      return entry;
    };
    let count = 0;
    for await (const row of this.#source.dump.rows(table)) {
      if (table.name === 'instance' && row['name'] === INSTANCE_EPOCH) this.#epoch = String(row['value']);
      const line = `${JSON.stringify(row)}\n`;
      lines.push(line);
      bytes += line.length;
      count += 1;
      if (bytes >= CHUNK_BYTES) yield flush();
    }
    if (count > 0) this.#ledger.addRows(table.name, count);
    if (lines.length > 0) yield flush();
  }

  /** Objects of the dumped state: one that no one refers to may be collected meanwhile and is not missed. */
  async *#objects(): AsyncGenerator<ArchiveEntry> {
    const table = DUMP_TABLES.find(({ name }) => name === 'objects');
    if (table === undefined) return;
    for await (const row of this.#source.dump.rows(table)) {
      const entry = await this.#object(row);
      if (entry !== undefined) yield entry;
    }
  }

  async #object(row: DumpRow): Promise<ArchiveEntry | undefined> {
    const sha256 = String(row['sha256']);
    const { blobs } = this.#source;
    let sizeBytes = 0;
    const kept: Uint8Array[] = [];
    try {
      for await (const bytes of blobs.stream(sha256)) {
        sizeBytes += bytes.byteLength;
        if (sizeBytes <= KEPT_BYTES) kept.push(bytes);
      }
    } catch (error) {
      if (!isFault(error) || (error.code !== 'NOT_FOUND' && error.code !== 'DATA_LOSS')) throw error;
      if (row['unreferenced_at'] === 0) this.#lost.push(sha256);
      return undefined;
    }
    this.#ledger.addObject(sha256, sizeBytes);
    return { name: objectEntry(sha256), sizeBytes, bytes: sizeBytes <= KEPT_BYTES ? kept : blobs.stream(sha256) };
  }
}
