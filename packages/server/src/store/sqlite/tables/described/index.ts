/**
 * store/sqlite/tables/described: the four forms of described tables on this engine (store/contracts/tables). The statements of a
 * description are made once, when this module is loaded; each connection prepares those that it uses.
 */
import { describedHandles } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { ExpiringReadHandle, ExpiringWriteHandle, expiringSql } from './expiring-table.ts';
import { KeyedReadHandle, KeyedWriteHandle, keyedSql } from './keyed-table.ts';
import { LeaseHandle, leaseSql } from './lease-table.ts';
import { QueueHandle, queueSql } from './queue-table.ts';

/** The described tables of a snapshot, and of a write transaction. */
export const { DescribedReadHandles, DescribedWriteHandles } = describedHandles<Access, WriteAccess>({
  keyed: (table) => {
    const sql = keyedSql(table);
    return {
      read: (access) => new KeyedReadHandle(access, sql),
      write: (access) => new KeyedWriteHandle(access, sql),
    };
  },
  expiring: (table) => {
    const sql = expiringSql(table);
    return {
      read: (access) => new ExpiringReadHandle(access, sql),
      write: (access) => new ExpiringWriteHandle(access, sql),
    };
  },
  lease: (table) => {
    const sql = leaseSql(table);
    return { write: (access) => new LeaseHandle(access, sql) };
  },
  queue: (table) => {
    const sql = queueSql(table);
    return { write: (access) => new QueueHandle(access, sql) };
  },
});
