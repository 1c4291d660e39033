import { createHash } from 'node:crypto';
import { Fault } from '../../../../base/index.ts';
import type { BlobStore, DumpRow, StoreDump } from '../../../../store/contracts/index.ts';

/** A dump of these rows by table; other tables are empty. */
export const tableDump = (rows: Readonly<Record<string, readonly DumpRow[]>>): StoreDump & { isClosed: boolean } => {
  const dump = {
    ...{ engine: 'fake', schema: 7, isClosed: false },
    rows: async function* (table: { readonly name: string }) {
      yield* rows[table.name] ?? [];
    },
    close: async () => {
      dump.isClosed = true;
    },
  };
  return dump;
};

/** Objects of these contents, in pieces, with the rows that the store keeps of them. */
export const createObjects = (
  contents: readonly Uint8Array[],
): { readonly blobs: Pick<BlobStore, 'stream'>; readonly rows: DumpRow[]; readonly hashes: readonly string[] } => {
  const byHash = new Map(contents.map((bytes) => [createHash('sha256').update(bytes).digest('hex'), bytes]));
  const hashes = [...byHash.keys()].sort();
  const stream = async function* (sha256: string): AsyncGenerator<Uint8Array> {
    const bytes = byHash.get(sha256);
    if (bytes === undefined) throw new Fault('NOT_FOUND', 'OBJECT_NOT_FOUND', 'object not found');
    for (let at = 0; at < bytes.byteLength; at += 100_000) yield bytes.subarray(at, at + 100_000);
  };
  const rows = hashes.map((sha256) => ({
    ...{ sha256, size_bytes: byHash.get(sha256)?.byteLength ?? 0, unreferenced_at: 0 },
  }));
  return { blobs: { stream }, rows, hashes };
};
