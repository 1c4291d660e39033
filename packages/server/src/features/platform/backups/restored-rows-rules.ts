import {
  CONDEMNED,
  type DumpRow,
  type DumpTable,
  INSTANCE_EPOCH,
  INSTANCE_RESTORE,
  INSTANCE_SECRET_KEY,
  INSTANCE_TOKEN_KEY,
} from '../../../store/contracts/index.ts';
import { PENDING_BACKUP } from './pending-backup.ts';

/** Before the name of a worker whose claim was restored: no process has it, so that none can renew or commit with it. */
const RESTORED = 'restored/';
/**
 * Values that told of the old instance. Keys need not come along: the first node that starts on the store notes what it has,
 * and signs tokens by a key of its own; the public halves come along, so that tokens under way stay good.
 * A scheduled backup is pending in its own archive, because it was not whole yet.
 */
const NOT_RESTORED: ReadonlySet<unknown> = new Set([
  INSTANCE_SECRET_KEY,
  INSTANCE_TOKEN_KEY,
  INSTANCE_RESTORE,
  PENDING_BACKUP,
]);

/**
 * A row as a restored store gets it; undefined where it must not come back. Cursors name the epoch, which is a new one.
 * Claims stay, but expired and held by no one, so that running turns are taken up as after a crash. Leases and items that
 * were taken from a queue are free, and no collector is removing an object.
 */
export const restoredRow = (table: DumpTable, row: DumpRow, epoch: string): DumpRow | undefined => {
  switch (table.name) {
    case 'instance':
      if (NOT_RESTORED.has(row['name'])) return undefined;
      return row['name'] === INSTANCE_EPOCH ? { ...row, value: epoch } : row;
    case 'claims':
      return { ...row, worker: `${RESTORED}${row['worker']}`, expires_at: 0 };
    case 'turns':
      return row['worker'] === '' ? row : { ...row, worker: `${RESTORED}${row['worker']}` };
    case 'objects':
      return Number(row['unreferenced_at']) < CONDEMNED
        ? row
        : { ...row, unreferenced_at: Number(row['unreferenced_at']) - CONDEMNED };
    default:
      if (table.restored === 'none') return undefined;
      return table.restored === undefined ? row : { ...row, ...table.restored };
  }
};
