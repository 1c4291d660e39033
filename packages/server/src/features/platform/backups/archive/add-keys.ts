import { Buffer } from 'node:buffer';
import { assert } from '../../../../base/index.ts';
import { type ArchiveEntry, formatText, manifestEntry, placeArchive, tarOf, wholeEntry } from './archive-entries.ts';
import { readArchive } from './archive-reader.ts';
import type { WrittenArchive } from './archive-writer.ts';
import { FORMAT_ENTRY, KEYS_ENTRY, Ledger, type Manifest, objectEntry, tableEntry } from './manifest.ts';

/** Which archive is copied where, and what is added. */
interface KeyAddition {
  readonly from: string;
  readonly to: string;
  /** Sealed key files. */
  readonly keys: Uint8Array;
  /** Release that copies. */
  readonly svc: string;
  /** Unix seconds. */
  readonly seconds: number;
  /** Ends the copying with its reason; checked before each file of the archive. */
  readonly signal?: AbortSignal | undefined;
}

/** Copies an archive that holds no keys, checking every byte, and adds keys. Faults as `readArchive` and `writeArchive`. */
export const addKeys = async (addition: KeyAddition): Promise<WrittenArchive> => {
  const copying = { manifest: undefined as Manifest | undefined };
  const sealed = await placeArchive(
    addition.to,
    tarOf(copiedEntries(addition, copying), addition.seconds, addition.signal),
  );
  assert(copying.manifest !== undefined, 'an archive ends with its manifest or with a fault');
  return { ...sealed, manifest: copying.manifest };
};

async function* copiedEntries(
  { from, keys, svc }: KeyAddition,
  copying: { manifest: Manifest | undefined },
): AsyncGenerator<ArchiveEntry> {
  const ledger = new Ledger();
  const whole = (name: string, bytes: Uint8Array): ArchiveEntry => {
    ledger.addFile(name, bytes);
    return wholeEntry(name, bytes);
  };
  const chunks = new Map<string, number>();
  yield whole(FORMAT_ENTRY, formatText(svc));
  for await (const part of readArchive(from)) {
    switch (part.kind) {
      case 'rows': {
        const { name } = part.table;
        const chunk = (chunks.get(name) ?? 0) + 1;
        chunks.set(name, chunk);
        ledger.addRows(name, part.rows.length);
        yield whole(tableEntry(name, chunk), Buffer.from(part.rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
        break;
      }
      case 'object':
        ledger.addObject(part.sha256, part.sizeBytes);
        yield { name: objectEntry(part.sha256), sizeBytes: part.sizeBytes, bytes: part.bytes };
        break;
      case 'keys':
        throw new Error('the archive holds keys already');
      case 'manifest':
        yield whole(KEYS_ENTRY, keys);
        copying.manifest = { ...part.manifest, ...ledger.contents() };
        yield manifestEntry(copying.manifest);
    }
  }
}
