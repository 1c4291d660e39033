import { type SessionMessage, type Step, type Turn, SessionMessagePartType as Type } from '@svc/api/data';
import { numberIn, payloadOf, textIn } from '../conversation/index.ts';

/** Something that took time within a turn. */
export interface TurnBar {
  readonly key: string;
  readonly kind: 'queue' | 'step' | 'tool' | 'wait' | 'recovery';
  readonly label: string;
  /** Unix milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly isFailed: boolean;
  /** Of a call of a model, or a prompt of an external agent. */
  readonly step: Step | undefined;
}

/** What is known of one turn. */
export interface TurnFacts {
  readonly turn: Turn;
  readonly steps: readonly Step[];
  /** Its replies; they hold the tools and the questions. */
  readonly replies: readonly SessionMessage[];
  /** End of what is still running, Unix milliseconds. */
  readonly nowMs: number;
}

/** A pause of a turn that was recovered is shown from this length on, in milliseconds. */
const SHORTEST_PAUSE_MS = 250;

const millis = (micros: bigint): number => Number(micros) / 1_000;

/** Everything that took time in a turn, by its begin: queue, model calls, tools, questions, and what a crash cost. */
export const turnBars = (facts: TurnFacts): readonly TurnBar[] => {
  const bars = [...queueBars(facts), ...stepBars(facts), ...toolBars(facts), ...waitBars(facts)].sort(
    (a, b) => a.startMs - b.startMs,
  );
  return facts.turn.attempt > 1 ? withRecovery(bars, facts) : bars;
};

const queueBars = ({ turn, nowMs }: TurnFacts): TurnBar[] => {
  const startMs = millis(turn.createdAt);
  const endMs = turn.startedAt === undefined ? nowMs : millis(turn.startedAt);
  return [{ key: 'queue', kind: 'queue', label: 'Queue', startMs, endMs, isFailed: false, step: undefined }];
};

const stepLabel = ({ kind, step, compaction }: Step): string => {
  if (compaction > 0) return `Summary before step ${step}`;
  return kind === 'harness' ? `Prompt ${step}` : `Step ${step}`;
};

/** The prompt of an external agent is listed while it works; other calls once they ended. */
const isUnderWay = ({ kind, modelMs }: Step, { finishedAt }: Turn): boolean =>
  kind === 'harness' && modelMs === 0 && finishedAt === undefined;

const stepBars = ({ steps, turn, nowMs }: TurnFacts): TurnBar[] =>
  steps
    .filter(({ startedAt }) => startedAt > 0n)
    .map((step) => ({
      key: `step ${step.step} ${step.compaction}`,
      kind: 'step' as const,
      label: stepLabel(step),
      startMs: millis(step.startedAt),
      endMs: isUnderWay(step, turn) ? nowMs : millis(step.startedAt) + step.modelMs,
      isFailed: step.outcome === 'failed',
      step,
    }));

const toolBars = ({ replies, nowMs }: TurnFacts): TurnBar[] =>
  replies.flatMap(({ id, parts }) =>
    parts
      .filter(({ partType }) => partType === Type.TOOL_CALL)
      .map((call) => {
        const result = parts.find(
          (part) => part.partType === Type.TOOL_RESULT && textIn(part, 'tool_call_id') === textIn(call, 'tool_call_id'),
        );
        return {
          key: `tool ${id} ${call.id}`,
          kind: 'tool' as const,
          label: call.name,
          startMs: millis(call.createdAt),
          endMs: result === undefined ? nowMs : millis(result.createdAt),
          isFailed: result !== undefined && payloadOf(result)['is_error'] === true,
          step: undefined,
        };
      }),
  );

const waitBars = ({ replies, turn, nowMs }: TurnFacts): TurnBar[] => {
  const asked = replies.flatMap(({ id, parts }) =>
    parts
      .filter(({ partType }) => partType === Type.REQUEST_PERMISSION)
      .map((request) => {
        const answer = parts.find(
          (part) =>
            part.partType === Type.PERMISSION_RESULT && textIn(part, 'request_id') === textIn(request, 'request_id'),
        );
        const decidedAt = answer === undefined ? 0 : numberIn(answer, 'decided_at');
        return {
          key: `wait ${id} ${request.id}`,
          kind: 'wait' as const,
          label: 'Waits for a person',
          startMs: millis(request.createdAt),
          endMs: answer === undefined ? nowMs : decidedAt > 0 ? decidedAt / 1_000 : millis(answer.createdAt),
          isFailed: false,
          step: undefined,
        };
      }),
  );
  const open = turn.pendingPermissions.map((request) => ({
    key: `wait ${request.id}`,
    kind: 'wait' as const,
    label: 'Waits for a person',
    startMs: millis(request.createdAt),
    endMs: nowMs,
    isFailed: false,
    step: undefined,
  }));
  return asked.concat(open);
};

/** The times in which nothing of a recovered turn ran: a worker was gone, and another one took the turn. */
const withRecovery = (bars: readonly TurnBar[], { turn }: TurnFacts): readonly TurnBar[] => {
  const all: TurnBar[] = [];
  let reachedMs = bars[0]?.endMs ?? 0;
  for (const bar of bars) {
    if (bar.startMs - reachedMs >= SHORTEST_PAUSE_MS) {
      all.push({
        key: `recovery ${bar.key}`,
        kind: 'recovery',
        label: `Recovery (attempt ${turn.attempt})`,
        startMs: reachedMs,
        endMs: bar.startMs,
        isFailed: false,
        step: undefined,
      });
    }
    all.push(bar);
    reachedMs = Math.max(reachedMs, bar.endMs);
  }
  return all;
};

/** Begin and end of a turn, Unix milliseconds. */
export const turnSpan = (turn: Turn, nowMs: number): { readonly startMs: number; readonly endMs: number } => ({
  startMs: millis(turn.createdAt),
  endMs: turn.finishedAt === undefined ? nowMs : millis(turn.finishedAt),
});
