import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { DUMP_TABLES, type DumpRow, type DumpTable } from '../../../../store/contracts/index.ts';
import { archiveDamaged, notAnArchive } from './archive-faults.ts';
import {
  checkFormat,
  FORMAT_ENTRY,
  KEYS_ENTRY,
  Ledger,
  MANIFEST_ENTRY,
  type Manifest,
  OBJECT_ENTRY,
  parseManifest,
  TABLE_ENTRY,
} from './manifest.ts';
import { readSealed } from './sealed-stream.ts';
import { readTar, type TarFile } from './tar.ts';

/** A part of an archive, in the order of the archive; `manifest` comes last, and only when everything was sound. */
type ArchivePart =
  | { readonly kind: 'rows'; readonly table: DumpTable; readonly rows: readonly DumpRow[] }
  | {
      readonly kind: 'object';
      readonly sha256: string;
      readonly sizeBytes: number;
      readonly bytes: AsyncIterable<Uint8Array>;
    }
  | { readonly kind: 'keys'; readonly sealed: Uint8Array }
  | { readonly kind: 'manifest'; readonly manifest: Manifest };

/** Entries that are read whole; a writer makes them of a mebibyte and one row. */
const WHOLE_BYTES_MAX = 512 * 1024 * 1024;

/**
 * The parts of an archive. Faults: INVALID_ARGUMENT ARCHIVE_UNKNOWN for another sort of file, FAILED_PRECONDITION
 * ARCHIVE_TOO_NEW for one of a later release, DATA_LOSS ARCHIVE_DAMAGED when any byte is not the one that was written; that
 * may be found out only at the end, so a caller that changes something reads the archive once before.
 */
export async function* readArchive(file: string): AsyncGenerator<ArchivePart> {
  const ledger = new Ledger();
  let manifest: Manifest | undefined;
  let isFirst = true;
  for await (const entry of readTar(readSealed(file))) {
    if (isFirst !== (entry.name === FORMAT_ENTRY))
      throw isFirst ? notAnArchive(`it begins with ${entry.name}`) : archiveDamaged(`${entry.name} comes twice`);
    if (manifest !== undefined) throw archiveDamaged(`${entry.name} follows the manifest`);
    if (entry.name === FORMAT_ENTRY) checkFormat((await readWhole(entry, ledger)).toString());
    else if (entry.name === MANIFEST_ENTRY) manifest = parseManifest((await readWhole(entry)).toString());
    else yield* readPart(entry, ledger);
    isFirst = false;
  }
  if (manifest === undefined) throw archiveDamaged('its manifest is missing');
  ledger.compare(manifest);
  yield { kind: 'manifest', manifest };
}

async function* readPart(entry: TarFile, ledger: Ledger): AsyncGenerator<ArchivePart> {
  const [, sha256] = OBJECT_ENTRY.exec(entry.name) ?? [];
  if (sha256 !== undefined) {
    const bytes = checkedBytes(entry, sha256);
    yield { kind: 'object', sha256, sizeBytes: entry.sizeBytes, bytes };
    // Bytes that the caller skips are checked all the same.
    for await (const _bytes of bytes);
    ledger.addObject(sha256, entry.sizeBytes);
    return;
  }
  if (entry.name === KEYS_ENTRY) return yield { kind: 'keys', sealed: await readWhole(entry, ledger) };
  const [, name] = TABLE_ENTRY.exec(entry.name) ?? [];
  const table = DUMP_TABLES.find((candidate) => candidate.name === name);
  if (table === undefined) throw archiveDamaged(`${entry.name} does not belong into it`);
  const rows = parseRows((await readWhole(entry, ledger)).toString(), entry.name);
  ledger.addRows(table.name, rows.length);
  yield { kind: 'rows', table, rows };
}

async function* checkedBytes(entry: TarFile, sha256: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const bytes of entry.bytes) {
    hash.update(bytes);
    yield bytes;
  }
  if (hash.digest('hex') !== sha256) throw archiveDamaged(`${entry.name} has other contents than its name says`);
}

const readWhole = async (entry: TarFile, ledger?: Ledger): Promise<Buffer> => {
  if (entry.sizeBytes > WHOLE_BYTES_MAX) throw archiveDamaged(`${entry.name} is larger than any that is written`);
  const bytes = Buffer.concat(await Array.fromAsync(entry.bytes));
  ledger?.addFile(entry.name, bytes);
  return bytes;
};

const parseRows = (text: string, name: string): readonly DumpRow[] => {
  try {
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as DumpRow);
  } catch (error) {
    throw archiveDamaged(`${name} is not a list of rows`, error);
  }
};
