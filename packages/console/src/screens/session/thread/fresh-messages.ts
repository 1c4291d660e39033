import type { ThreadRow } from '../conversation/index.ts';

/** How many messages came after the newest that was seen; none before any was. */
export const freshMessages = (rows: readonly ThreadRow[], seen: string | undefined): number => {
  if (seen === undefined) return 0;
  let count = 0;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows[index];
    if (row === undefined || row.message.id <= seen) return count;
    if (row.kind === 'head') count += 1;
  }
  return count;
};
