import { createHash } from 'node:crypto';

/** 32 hex digits of a hash of the value, whatever the order of its fields. */
export const jsonHash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex').slice(0, 32);

const sorted = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
