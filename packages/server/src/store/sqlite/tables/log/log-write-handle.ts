import {
  artifactHolder,
  type JournalRow,
  type MessageRow,
  type PermissionRow,
  type SessionLogWrites,
  type SessionRow,
  type SteerRow,
  sessionHolder,
  type TurnRow,
  type TurnState,
} from '../../../contracts/index.ts';
import type { WriteAccess } from '../../access.ts';
import { DescribedWriteHandles } from '../described/index.ts';
import { dropHolders, dropHolderTree } from '../object-handle.ts';
import { LogReadHandle } from './log-handle.ts';
import type { LogTables } from './log-tables.ts';

/** `SessionLogWrites` inside one write transaction. The one writer is the lock of every row. */
export class LogWriteHandle extends LogReadHandle implements SessionLogWrites {
  readonly #access: WriteAccess<LogTables>;

  constructor(access: WriteAccess<LogTables>) {
    super(access);
    this.#access = access;
  }

  async lockSession(id: string) {
    this.#access.enter();
    return this.#access.tables.sessions.get(id);
  }

  async insertSession(row: SessionRow) {
    this.#access.change();
    this.#access.tables.sessions.insert(row);
  }

  async saveSession(row: SessionRow) {
    this.#access.change();
    this.#access.tables.sessions.save(row);
  }

  async deleteSession(id: string) {
    await this.clearSession(id);
    const { connection, tables, steadyNow } = this.#access;
    const { artifacts } = new DescribedWriteHandles(this.#access);
    const gone = await artifacts.removeAll('ofSession', { sessionId: id });
    this.#access.change();
    const holders = gone.map((artifact) => artifactHolder(artifact.id));
    dropHolders(connection, holders, steadyNow);
    tables.sessions.delete(id);
  }

  async clearSession(id: string) {
    this.#access.change();
    const { connection, tables, steadyNow } = this.#access;
    tables.messages.deleteAll(id);
    tables.journal.deleteOfSession(id);
    tables.turns.deleteOfSession(id);
    tables.steers.deleteOfSession(id);
    tables.permissions.deleteOfSession(id);
    const { delegations, taskPushes, connectorContexts } = new DescribedWriteHandles(this.#access);
    await delegations.removeAll('ofSession', { sessionId: id });
    await taskPushes.removeAll('ofSession', { sessionId: id });
    await connectorContexts.removeAll('ofHolder', { holder: sessionHolder(id) });
    dropHolderTree(connection, sessionHolder(id), steadyNow);
  }

  async insertMessage(row: MessageRow) {
    this.#access.change();
    this.#access.tables.messages.insert(row);
  }

  async saveMessage(row: MessageRow) {
    this.#access.change();
    this.#access.tables.messages.save(row);
  }

  async deleteMessages(sessionId: string, ids: readonly string[]) {
    this.#access.change();
    this.#access.tables.messages.delete(sessionId, ids);
  }

  async insertTurn(row: TurnRow) {
    this.#access.change();
    this.#access.tables.turns.insert(row);
  }

  async saveTurn(row: TurnRow, guard?: { readonly fence: number; readonly states: readonly TurnState[] }) {
    this.#access.change();
    return this.#access.tables.turns.save(row, guard);
  }

  async readyTurns(limit: number) {
    this.#access.enter();
    return this.#access.tables.claims.ready(limit);
  }

  async expiredClaims(now: number, limit: number) {
    this.#access.enter();
    return this.#access.tables.claims.expired(now, limit);
  }

  async deadClaims(limit: number) {
    this.#access.enter();
    return this.#access.tables.claims.dead(limit);
  }

  async dueParks(now: number, limit: number) {
    this.#access.enter();
    return this.#access.tables.turns.dueParks(now, limit);
  }

  async claimedTurns(worker: string | undefined, limit: number) {
    this.#access.enter();
    return this.#access.tables.claims.claimed(worker, limit);
  }

  async startedTurns(namespace: string, after: string, limit: number) {
    this.#access.enter();
    return this.#access.tables.claims.started(namespace, after, limit);
  }

  async renewClaims(
    worker: string,
    claims: readonly { readonly turnId: string; readonly fence: number }[],
    expiresAt: number,
  ) {
    this.#access.change();
    return this.#access.tables.claims.renew(worker, claims, expiresAt);
  }

  async stuckSessions(limit: number) {
    this.#access.enter();
    return this.#access.tables.sessions.stuck(limit);
  }

  async appendJournal(rows: readonly JournalRow[]) {
    this.#access.change();
    this.#access.tables.journal.append(rows);
  }

  async trimJournal(beforeMicros: number, limit: number) {
    this.#access.change();
    return this.#access.tables.journal.trim(beforeMicros, limit);
  }

  async insertSteer(row: SteerRow) {
    this.#access.change();
    this.#access.tables.steers.insert(row);
  }

  async deleteSteers(sessionId: string, messageIds: readonly string[]) {
    this.#access.change();
    this.#access.tables.steers.delete(sessionId, messageIds);
  }

  async insertPermission(row: PermissionRow) {
    this.#access.change();
    this.#access.tables.permissions.insert(row);
  }

  async savePermission(row: PermissionRow) {
    this.#access.change();
    this.#access.tables.permissions.save(row);
  }

  async setNamespaceReady(namespace: string, ready: boolean) {
    this.#access.change();
    this.#access.tables.turns.setNamespaceReady(namespace, ready);
  }
}
