import type { AdmissionMark, SessionLogReads, SessionPage, TurnState } from '../../../contracts/index.ts';
import type { Access } from '../../access.ts';
import type { LogTables } from './log-tables.ts';

/** `SessionLogReads` over one connection. */
export class LogReadHandle implements SessionLogReads {
  readonly #access: Access<LogTables>;

  constructor(access: Access<LogTables>) {
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

  async messagesOfId(id: string, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.messages.ofId(id, limit));
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

  async openPermissions(namespaces: readonly string[] | 'all', after: string, limit: number) {
    this.#access.enter();
    return this.#access.leave(this.#access.tables.permissions.open(namespaces, after, limit));
  }
}
