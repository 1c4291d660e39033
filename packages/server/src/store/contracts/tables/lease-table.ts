import type { TableFacts } from './description.ts';

const COLUMNS = { name: 'text', owner: 'text', expiresAt: 'integer' } as const;

/** Holds on named things that lapse when they are not renewed. */
export interface LeaseTable extends TableFacts {
  readonly form: 'lease';
  readonly columns: typeof COLUMNS;
}

/** Describes a lease table: its columns are always the same. */
export const leaseTable = (name: string): LeaseTable => ({ form: 'lease', name, columns: COLUMNS, key: ['name'] });

export interface LeaseWrites {
  /** True when `owner` holds `name` afterwards; takes over an expired one. */
  acquire(name: string, owner: string, now: number, ttlMicros: number): Promise<boolean>;
  release(name: string, owner: string): Promise<void>;
}
