import { setTimeout as pause } from 'node:timers/promises';
import { RestCaller, type SessionKey, textOf } from '../calls/index.ts';
import type { SeededRandom } from '../transports/plan/index.ts';
import type { StreamedEvent } from '../transports/streams/index.ts';

/** Opens one stream of these sessions, each after its cursor. */
export type OpenSessions = (
  url: string,
  sessions: readonly SessionKey[],
  after: ReadonlyMap<string, string>,
) => AsyncIterable<StreamedEvent>;

export interface ReaderPlan {
  readonly name: string;
  readonly open: OpenSessions;
  readonly sessions: readonly SessionKey[];
  /** Turns of each session; the reader ends when it has seen so many end. */
  readonly turns: number;
  /** Cursors from before the first turn. */
  readonly fresh: ReadonlyMap<string, string>;
  /** Addresses of the nodes; each connection goes to one of them. */
  readonly urls: readonly string[];
  readonly random: SeededRandom;
  /** Stops reading for a while now and then. */
  readonly lags: boolean;
  /** Now and then forgets everything and begins with the list of messages, as a page that is loaded again. */
  readonly reloads: boolean;
}

/** Reasons that no failure around a reader explains. */
const NEVER = /INTERNAL|CURSOR_EXPIRED|INVALID_ARGUMENT|FIELD_INVALID|internal error/;
const SLOW = /SLOW_CONSUMER|too slow/;

/** A client that reads until every turn of its sessions has ended, whatever happens to its connections. */
export class PersistentReader {
  readonly plan: ReaderPlan;
  /** Text of each message by its id. */
  readonly #texts = new Map<string, string>();
  /** Messages of turns that ended, by session. */
  readonly #ended = new Map<string, Set<string>>();
  #after: ReadonlyMap<string, string>;
  /** Faults that must not happen. */
  readonly violations: string[] = [];
  connections = 0;

  constructor(plan: ReaderPlan) {
    this.plan = plan;
    this.#after = plan.fresh;
  }

  /** Messages with text, as this reader put them together. */
  get texts(): ReadonlyMap<string, string> {
    return new Map([...this.#texts].filter(([, text]) => text !== ''));
  }

  get isOver(): boolean {
    return this.plan.sessions.every(([, id]) => (this.#ended.get(id)?.size ?? 0) >= this.plan.turns);
  }

  /** How far it is, for the message of a test that failed. */
  get state(): string {
    const ends = this.plan.sessions.map(([, id]) => this.#ended.get(id)?.size ?? 0);
    return `${this.plan.name}: ${ends.join(' and ')} of ${this.plan.turns} turns, ${this.connections} connections`;
  }

  /** Resolves when every turn was seen to end, or when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { random, reloads, urls } = this.plan;
    while (!this.isOver && !signal.aborted) {
      const url = random.pick(urls);
      this.connections += 1;
      try {
        if (reloads && random.chance(30)) await this.#reload(url);
        else await this.#read(url);
      } catch (error) {
        this.#judge(String(error));
        await pause(20 + random.below(80));
      }
    }
  }

  async #read(url: string): Promise<void> {
    const { open, sessions, random, lags } = this.plan;
    const unfinished = sessions.filter(([, id]) => (this.#ended.get(id)?.size ?? 0) < this.plan.turns);
    for await (const event of open(url, unfinished, this.#after)) {
      this.#take(event);
      if (this.isOver || random.chance(1)) return;
      if (lags && random.chance(5)) await pause(50 + random.below(300));
    }
  }

  async #reload(url: string): Promise<void> {
    const after = new Map(this.#after);
    for (const session of this.plan.sessions) {
      const { items, streamCursor } = await new RestCaller(url).messagePage(session, '?pageSize=200');
      const answers = items.map((item) => item.message).filter((message) => message.role === 'ROLE_ASSISTANT');
      for (const message of answers) this.#texts.set(message.id, textOf(message));
      this.#ended.set(session[1], new Set(answers.map((message) => message.id)));
      const listed = new Set(answers.map((message) => message.id));
      for (const id of this.#messagesOf.get(session[1]) ?? []) if (!listed.has(id)) this.#texts.delete(id);
      after.set(session[1], streamCursor);
    }
    this.#after = after;
  }

  readonly #messagesOf = new Map<string, Set<string>>();

  #take({ sessionId, messageId, kind, type, content, cursor }: StreamedEvent): void {
    if (cursor !== '') this.#after = new Map(this.#after).set(sessionId, cursor);
    const known = this.#messagesOf.get(sessionId) ?? new Set();
    this.#messagesOf.set(sessionId, known.add(messageId));
    if (kind === 'RESET') this.#texts.set(messageId, '');
    if (kind === 'DELTA' && type === 'TEXT') this.#texts.set(messageId, (this.#texts.get(messageId) ?? '') + content);
    if (kind !== 'DONE' && kind !== 'ERROR') return;
    const ended = this.#ended.get(sessionId) ?? new Set();
    if (ended.has(messageId)) this.violations.push(`${this.plan.name}: saw the end of ${messageId} twice`);
    this.#ended.set(sessionId, ended.add(messageId));
  }

  #judge(error: string): void {
    const isUnfair = SLOW.test(error) && !this.plan.lags;
    if (NEVER.test(error) || isUnfair) this.violations.push(`${this.plan.name}: ${error}`);
  }
}
