import type { RecordKey, ResourceRecord } from './record.ts';

export interface PageRequest<T extends ResourceRecord> {
  /** Most rows of the page. */
  readonly size: number;
  /** `limits.responseBytes`; the page is cut before it would grow past it, but holds at least one row. */
  readonly bytes: number;
  /** The answer shows metadata alone: specs and statuses take no part of `bytes`. */
  readonly metadataOnly?: boolean;
  readonly after: RecordKey | undefined;
  /** Rows in order after the key, at most `limit`. */
  readonly read: (after: RecordKey | undefined, limit: number) => Promise<readonly T[]>;
  /** Rows that are not for this answer are skipped. */
  readonly keep?: (row: T) => boolean;
}

export interface FilledPage<T> {
  readonly rows: readonly T[];
  /** Where the next page begins (exclusive); undefined at the end. */
  readonly next: RecordKey | undefined;
}

const ROW_OVERHEAD = 400;

/** One page of a list: reads on until it is full, the bytes are used up, or nothing is left. */
export const fillPage = async <T extends ResourceRecord>(request: PageRequest<T>): Promise<FilledPage<T>> => {
  const rows: T[] = [];
  let bytes = 0;
  let after = request.after;
  const chunk = request.size + 1;
  for (;;) {
    const batch = await request.read(after, chunk);
    for (const row of batch) {
      if (request.keep === undefined || request.keep(row)) {
        bytes += recordBytes(row, request.metadataOnly === true);
        const isFull = rows.length === request.size || (bytes > request.bytes && rows.length > 0);
        if (isFull) return { rows, next: rows.at(-1)?.key };
        rows.push(row);
      }
      after = row.key;
    }
    if (batch.length < chunk) return { rows, next: undefined };
  }
};

/** About how many bytes a record takes in an answer. */
const recordBytes = (row: ResourceRecord, metadataOnly: boolean): number => {
  let bytes = ROW_OVERHEAD + (metadataOnly ? 0 : row.spec.length + row.status.length);
  for (const map of [row.labels, row.annotations])
    for (const [key, value] of Object.entries(map)) bytes += key.length + value.length + 6;
  return bytes;
};
