import type { JournalRow, ReadTx, TurnRow } from '../../store/contracts/index.ts';
import { PART, type Part, type StepFacts, type StepRecord, type TurnUsage } from '../contract.ts';
import { type CompactionEntry, compactionIn, isTurnOver, type ModelResponseEntry, parseBody } from '../record/index.ts';

/** A count in the payload of a USAGE part. */
const counted = (payload: Readonly<Record<string, unknown>>, key: string): number => Number(payload[key] ?? 0);

/** The usage that a stored USAGE part shows. */
const usageOf = ({ payload = {} }: Part): TurnUsage => ({
  inputTokens: counted(payload, 'input_tokens'),
  cachedInputTokens: counted(payload, 'cached_input_tokens'),
  cacheWriteTokens: counted(payload, 'cache_write_tokens'),
  outputTokens: counted(payload, 'output_tokens'),
  reasoningTokens: counted(payload, 'reasoning_output_tokens'),
  totalTokens: counted(payload, 'total_tokens'),
  usageAvailable: payload['usage_available'] === true,
  provider: String(payload['provider'] ?? ''),
  model: String(payload['model'] ?? ''),
  ...(payload['cost_micros'] === undefined ? {} : { costMicros: counted(payload, 'cost_micros') }),
  ...(payload['provider_request_id'] === undefined
    ? {}
    : { providerRequestId: String(payload['provider_request_id']) }),
});

/** Parts of the answer to a call, as far as they are stored. */
const partsAfter = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow, record: StepRecord): Promise<readonly Part[]> => {
  const message = await tx.log.message(turn.sessionId, record.messageId);
  return message === undefined ? [] : (JSON.parse(message.parts) as readonly Part[]).slice(record.parts);
};

const requestOf = (request: StepRecord | undefined): Pick<StepFacts, 'record' | 'unavailable'> =>
  request === undefined ? { unavailable: 'NOT_RECORDED' } : { record: request };

const recordedStep = (row: JournalRow): StepFacts => {
  const { step, usage, parts, request } = JSON.parse(row.body) as ModelResponseEntry;
  const toolCalls = toolCallsIn(parts);
  const outcome = toolCalls > 0 ? 'tool_calls' : 'steered';
  return { kind: 'model', step, summary: 0, usage, toolCalls, outcome, ...requestOf(request) };
};

/** A summary that was written before call `next`, when it is not known of which. */
const recordedSummary = ({ part, usage, request }: CompactionEntry, next: number): Omit<StepFacts, 'summary'> => ({
  kind: 'compaction',
  step: request?.step ?? next,
  toolCalls: 0,
  outcome: part === undefined ? 'unused' : 'summarised',
  ...(usage === undefined ? {} : { usage }),
  ...requestOf(request),
});

const toolCallsIn = (parts: readonly Part[]): number => parts.filter(({ type }) => type === PART.TOOL_CALL).length;

const OUTCOMES = { COMPLETED: 'answered', FAILED: 'failed', STOPPED: 'stopped' } as const;

const lastStep = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow, record: StepRecord): Promise<StepFacts> => {
  const answer = await partsAfter(tx, turn, record);
  const usage = answer.find(({ type }) => type === PART.USAGE);
  const outcome = turn.state in OUTCOMES ? OUTCOMES[turn.state as keyof typeof OUTCOMES] : 'unknown';
  const kind = record.harness === undefined ? 'model' : 'harness';
  return {
    kind,
    step: record.step,
    summary: 0,
    record,
    toolCalls: toolCallsIn(answer),
    outcome,
    ...(usage === undefined ? {} : { usage: usageOf(usage) }),
  };
};

/** Model calls that the turn is known to have made, apart from those in its journal. */
const callsOf = (turn: TurnRow, last: StepRecord | undefined): number => {
  const { modelCalls, harnessPrompts = 0 } = parseBody(turn);
  // A harness asks its model by itself: what is known are its prompts.
  if (harnessPrompts > 0) return harnessPrompts;
  if (last !== undefined) return last.step;
  return turn.state === 'COMPLETED' ? modelCalls + 1 : 0;
};

/** Calls by their place, in order. */
class KnownSteps {
  readonly #calls = new Map<number, StepFacts>();
  readonly #summaries = new Map<number, StepFacts[]>();

  get size(): number {
    return this.#calls.size + this.#summaries.size;
  }

  get last(): number {
    return Math.max(0, ...this.#calls.keys(), ...this.#summaries.keys());
  }

  addCall(facts: StepFacts): void {
    this.#calls.set(facts.step, facts);
  }

  addSummary(facts: Omit<StepFacts, 'summary'>): void {
    const before = this.summariesOf(facts.step);
    this.#summaries.set(facts.step, before.concat({ ...facts, summary: before.length + 1 }));
  }

  call(step: number): StepFacts | undefined {
    return this.#calls.get(step);
  }

  summariesOf(step: number): readonly StepFacts[] {
    return this.#summaries.get(step) ?? [];
  }
}

const journaled = (rows: readonly JournalRow[]): KnownSteps => {
  const known = new KnownSteps();
  let next = 1;
  for (const row of rows) {
    const summary = compactionIn(row);
    if (summary !== undefined) known.addSummary(recordedSummary(summary, next));
    if (row.kind !== 'MODEL_RESPONSE') continue;
    const facts = recordedStep(row);
    known.addCall(facts);
    next = facts.step + 1;
  }
  return known;
};

/** Steps of a turn from its journal and from what the turn keeps of its last call. */
export const stepFacts = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<readonly StepFacts[]> => {
  const { lastCall: last, lostPrompts = [], summaries = [], harnessPrompts = 0 } = parseBody(turn);
  const known = journaled(await tx.log.journal(turn.id));
  const hasJournal = known.size > 0 || !isTurnOver(turn);
  for (const record of lostPrompts)
    known.addCall({ kind: 'harness', step: record.step, summary: 0, record, toolCalls: 0, outcome: 'failed' });
  if (last !== undefined) known.addCall(await lastStep(tx, turn, last));
  const calls = callsOf(turn, last);
  const kind = harnessPrompts > 0 ? 'harness' : 'model';
  const gone = { toolCalls: 0, outcome: 'unknown' } as const;
  const unavailable = hasJournal || last === undefined ? 'NOT_RECORDED' : 'JOURNAL_EXPIRED';
  if (!hasJournal)
    for (const step of summaries)
      known.addSummary({ ...gone, kind: 'compaction', step, unavailable: 'JOURNAL_EXPIRED' });
  const missing = (step: number): readonly StepFacts[] =>
    step > calls ? [] : [{ ...gone, kind, step, summary: 0, unavailable }];
  return Array.from({ length: Math.max(calls, known.last) }, (_, index) => index + 1).flatMap((step) => {
    const call = known.call(step);
    return [...known.summariesOf(step), ...(call === undefined ? missing(step) : [call])];
  });
};
