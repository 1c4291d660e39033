import type { Connection } from '../../connection.ts';
import type { KeptRecords } from '../../records/index.ts';
import { ClaimTable } from './claim-table.ts';
import { MessageTable } from './message-table.ts';
import { SessionTable } from './session-table.ts';
import { JournalTable, PermissionTable, SteerTable } from './turn-detail-tables.ts';
import { TurnTable } from './turn-table.ts';

/** Statements of sessions and of all that belongs to them on one connection. */
export interface LogTables {
  readonly sessions: SessionTable;
  readonly messages: MessageTable;
  readonly turns: TurnTable;
  readonly claims: ClaimTable;
  readonly journal: JournalTable;
  readonly steers: SteerTable;
  readonly permissions: PermissionTable;
}

/** With `records`, session rows are kept between reads. */
export const createLogTables = (connection: Connection, records?: KeptRecords): LogTables => ({
  sessions: new SessionTable(connection, records?.cache, records?.isWriter),
  messages: new MessageTable(connection),
  turns: new TurnTable(connection),
  claims: new ClaimTable(connection),
  journal: new JournalTable(connection),
  steers: new SteerTable(connection),
  permissions: new PermissionTable(connection),
});
