import type { JournalRow } from '../../store/contracts/index.ts';
import type { ToolContext } from '../../tools/contract.ts';
import { EVENT, eventSubject, SEQUENCE_BASE, type SessionEvent } from '../contract.ts';
import type { ModelResponseEntry, ToolResultEntry } from '../record/turn-record.ts';

export interface ToolRun {
  readonly name: string;
  readonly turnId: string;
  readonly callId: string;
  readonly key: string;
}

export interface Accepted {
  readonly sessionId: string;
  readonly messageId: string;
  readonly turnId: string;
  /** Epoch of the session: a clear takes what was accepted before it. */
  readonly epoch: number;
}

/** Everything the processes of one machine did that can be seen from outside, and what of it must never happen. */
export class RunRecord {
  readonly toolRuns: ToolRun[] = [];
  readonly modelCalls: { readonly turnId: string; readonly step: number }[] = [];
  readonly accepted: Accepted[] = [];
  readonly events: SessionEvent[] = [];
  readonly violations: string[] = [];
  readonly #journal = new Set<string>();
  readonly #last = new Map<string, number>();
  readonly #fences = new Map<string, number>();
  /** Set when workers may be paused or notifications lost: then events of an older fence may come late; followers drop them. */
  mayBeLate = false;

  note(violation: string): void {
    if (this.violations.length < 20) this.violations.push(violation);
  }

  /** R5 of docs/proofs/guarantees.md: an entry is journaled once; rows of a failed transaction never come here. */
  journaled(rows: readonly JournalRow[]): void {
    for (const row of rows) {
      const key = journalKey(row);
      if (key === undefined) continue;
      if (this.#journal.has(key)) this.note(`R5: ${key} journaled twice`);
      this.#journal.add(key);
    }
  }

  modelCalled(turnId: string, step: number): void {
    this.modelCalls.push({ turnId, step });
    if (this.#journal.has(`${turnId} response ${step}`)) this.note(`R5: model asked again for ${turnId} step ${step}`);
  }

  toolRan(name: string, context: ToolContext): void {
    const { turnId, callId, idempotencyKey: key } = context;
    if (this.#journal.has(`${turnId} result ${callId}`)) this.note(`R5: ${callId} ran after its result`);
    const before = this.toolRuns.find((run) => run.callId === callId);
    if (before !== undefined && before.key !== key) this.note(`R6: ${callId} ran with another key`);
    this.toolRuns.push({ name, turnId, callId, key });
  }

  /** Sequences: within a fence from its start without holes, fences rising (unless a worker was paused). */
  published(subject: string, message: unknown): void {
    const event = message as SessionEvent;
    if (subject !== eventSubject(event.sessionId) || event.sequence === 0) return;
    this.events.push(event);
    const fence = Math.floor(event.sequence / SEQUENCE_BASE);
    const key = `${event.sessionId} ${fence}`;
    const before = this.#last.get(key) ?? fence * SEQUENCE_BASE;
    if (event.sequence - event.units !== before) this.note(`sequence: ${describe(event)} does not follow ${before}`);
    this.#last.set(key, event.sequence);
    const newest = this.#fences.get(event.sessionId) ?? 0;
    if (fence < newest && !this.mayBeLate) this.note(`sequence: ${describe(event)} comes after fence ${newest}`);
    this.#fences.set(event.sessionId, Math.max(newest, fence));
  }

  terminalEvents(turnId: string): SessionEvent[] {
    return this.events.filter((event) => event.turnId === turnId && isTerminal(event));
  }

  runsOf(name: string): ToolRun[] {
    return this.toolRuns.filter((run) => run.name === name);
  }
}

export const isTerminal = (event: SessionEvent): boolean => event.kind === EVENT.DONE || event.kind === EVENT.ERROR;

const describe = (event: SessionEvent): string =>
  `${event.kind}/${event.part?.type ?? 0} ${Math.floor(event.sequence / SEQUENCE_BASE)}+${event.sequence % SEQUENCE_BASE} (${event.units})`;

const journalKey = (row: JournalRow): string | undefined => {
  if (row.kind === 'MODEL_RESPONSE')
    return `${row.turnId} response ${(JSON.parse(row.body) as ModelResponseEntry).step}`;
  if (row.kind === 'TOOL_RESULT') return `${row.turnId} result ${(JSON.parse(row.body) as ToolResultEntry).callId}`;
  return undefined;
};
