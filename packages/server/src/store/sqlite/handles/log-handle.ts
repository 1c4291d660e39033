import type {
  AdmissionMark,
  JournalRow,
  MessageRow,
  PermissionRow,
  SessionLogReads,
  SessionLogWrites,
  SessionPage,
  SessionRow,
  SteerRow,
  TurnRow,
  TurnState,
} from '../../contracts/index.ts';
import { artifactHolder, sessionHolder } from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { DescribedWriteHandles } from '../tables/index.ts';

/** `SessionLogReads` over one connection. */
export class LogReadHandle implements SessionLogReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async session(id: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.sessions.get(id));
  }

  async standings(ids: readonly string[]) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.sessions.standings(ids));
  }

  async newTurns(mark: AdmissionMark | undefined, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.turns.since(mark, limit));
  }

  async sessions(page: SessionPage) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.sessions.page(page));
  }

  async message(sessionId: string, id: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.messages.get(sessionId, id));
  }

  async messagesBefore(sessionId: string, before: string | undefined, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.messages.before(sessionId, before, limit));
  }

  async messagesAfter(sessionId: string, after: string, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.messages.after(sessionId, after, limit));
  }

  async turn(id: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.turns.get(id));
  }

  async openTurns(sessionId: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.turns.open(sessionId));
  }

  async turns(
    sessionId: string,
    options: { readonly before?: string; readonly state?: TurnState; readonly limit: number },
  ) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.turns.newest(sessionId, options));
  }

  async turnsFromFence(sessionId: string, fence: number, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.turns.fromFence(sessionId, fence, limit));
  }

  async journal(turnId: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.journal.list(turnId));
  }

  async steers(sessionId: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.steers.list(sessionId));
  }

  async permission(id: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.permissions.get(id));
  }

  async permissionsOfTurn(turnId: string) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.permissions.ofTurn(turnId));
  }

  async openPermissions(namespaces: readonly string[], after: string, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.permissions.open(namespaces, after, limit));
  }
}

/** `SessionLogWrites` inside one write transaction. The one writer is the lock of every row. */
export class LogWriteHandle extends LogReadHandle implements SessionLogWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
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
    const { tables, steadyNow } = this.#access;
    const { artifacts } = new DescribedWriteHandles(this.#access);
    const gone = await artifacts.removeAll('ofSession', { sessionId: id });
    this.#access.change();
    for (const artifact of gone) tables.objects.drop(artifactHolder(artifact.id), steadyNow);
    tables.sessions.delete(id);
  }

  async clearSession(id: string) {
    this.#access.change();
    const { tables, steadyNow } = this.#access;
    tables.messages.deleteAll(id);
    tables.journal.deleteOfSession(id);
    tables.turns.deleteOfSession(id);
    tables.steers.deleteOfSession(id);
    tables.permissions.deleteOfSession(id);
    tables.objects.dropTree(sessionHolder(id), steadyNow);
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
