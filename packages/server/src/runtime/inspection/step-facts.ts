import type { JournalRow, MessageRow, ReadTx, TurnRow } from '../../store/contracts/index.ts';
import { PART, type Part, type StepFacts, type StepRecord, type TurnUsage } from '../contract.ts';
import { isTurnOver, type ModelResponseEntry, parseBody } from '../record/index.ts';

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

/** USAGE of the answer that follows the first `parts` parts of a message; undefined when it has none. */
const usageAfter = (message: MessageRow | undefined, parts: number): TurnUsage | undefined => {
  if (message === undefined) return undefined;
  const found = (JSON.parse(message.parts) as readonly Part[]).slice(parts).find(({ type }) => type === PART.USAGE);
  return found === undefined ? undefined : usageOf(found);
};

const recordedStep = (row: JournalRow): StepFacts => {
  const { step, usage, parts, request } = JSON.parse(row.body) as ModelResponseEntry;
  const toolCalls = parts.filter(({ type }) => type === PART.TOOL_CALL).length;
  return {
    step,
    usage,
    toolCalls,
    outcome: toolCalls > 0 ? 'tool_calls' : 'steered',
    ...(request === undefined ? { unavailable: 'NOT_RECORDED' } : { record: request }),
  };
};

const OUTCOMES = { COMPLETED: 'answered', FAILED: 'failed', STOPPED: 'stopped' } as const;

const lastStep = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow, record: StepRecord): Promise<StepFacts> => {
  const usage = usageAfter(await tx.log.message(turn.sessionId, record.messageId), record.parts);
  const outcome = turn.state in OUTCOMES ? OUTCOMES[turn.state as keyof typeof OUTCOMES] : 'unknown';
  return { step: record.step, record, toolCalls: 0, outcome, ...(usage === undefined ? {} : { usage }) };
};

/** Model calls that the turn is known to have made, apart from those in its journal. */
const callsOf = (turn: TurnRow, last: StepRecord | undefined): number => {
  const { modelCalls, harnessPrompts = 0 } = parseBody(turn);
  // A harness asks its model by itself.
  if (harnessPrompts > 0) return 0;
  if (last !== undefined) return last.step;
  return turn.state === 'COMPLETED' ? modelCalls + 1 : 0;
};

/** Steps of a turn from its journal and from what the turn keeps of its last call. */
export const stepFacts = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<readonly StepFacts[]> => {
  const last = parseBody(turn).lastCall;
  const known = new Map<number, StepFacts>();
  for (const row of await tx.log.journal(turn.id))
    if (row.kind === 'MODEL_RESPONSE') {
      const facts = recordedStep(row);
      known.set(facts.step, facts);
    }
  if (last !== undefined) known.set(last.step, await lastStep(tx, turn, last));
  const hasJournal = known.size > (last === undefined ? 0 : 1) || !isTurnOver(turn);
  const missing = (step: number): StepFacts => ({
    step,
    toolCalls: 0,
    outcome: 'unknown',
    unavailable: hasJournal || last === undefined ? 'NOT_RECORDED' : 'JOURNAL_EXPIRED',
  });
  const count = Math.max(callsOf(turn, last), 0, ...known.keys());
  return Array.from({ length: count }, (_, index) => known.get(index + 1) ?? missing(index + 1));
};
