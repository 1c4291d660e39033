/** Bytes [start, end) of a whole. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * What a `Range` header asks of `sizeBytes`: undefined = the whole (no header, several ranges or another unit, which a
 * server may skip), 'unsatisfiable' = 416.
 */
export const readRange = (header: string | undefined, sizeBytes: number): ByteSpan | 'unsatisfiable' | undefined => {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const count = Math.min(Number(last), sizeBytes);
    return count === 0 ? 'unsatisfiable' : { start: sizeBytes - count, end: sizeBytes };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
};
