import type { Log, LogFields } from '../../base/index.ts';
import { admittedAt, type TurnEndHook } from '../../runtime/index.ts';
import type { EndedTurn } from './metrics/index.ts';
import { traceIdOf } from './tracing/index.ts';

type TurnEnd = Parameters<TurnEndHook['turnEnded']>[1];

const MICROS_PER_MS = 1000;

/** Milliseconds between two moments in micros; undefined when the first never came. */
const between = (from: number, to: number): number | undefined =>
  from > 0 ? Math.max(0, Math.round((to - from) / MICROS_PER_MS)) : undefined;

const fieldsOf = ({ turn, body }: TurnEnd, isTraced: boolean): LogFields => {
  const { cause } = body;
  const hasTrace = isTraced || cause.traceParent !== undefined;
  return {
    state: turn.state,
    class: turn.state === 'FAILED' ? body.reason : undefined,
    namespace: turn.namespace,
    agent: turn.agent,
    duration_ms: between(body.startedAt, turn.finishedAt),
    queued_ms: between(admittedAt(turn, body), body.startedAt > 0 ? body.startedAt : turn.finishedAt),
    tool_calls: body.toolCalls,
    tokens: body.usage?.totalTokens,
    attempt: turn.attempt,
    session: turn.sessionId,
    turn: turn.id,
    request_id: cause.requestId,
    trace_id: hasTrace ? traceIdOf(turn.id, cause) : undefined,
    caller: cause.identity,
  };
};

/** Counts each ended turn and writes its line, once its end is durable. */
export const turnEndHook = (parts: {
  readonly log: Log;
  readonly turnEnded: (turn: EndedTurn) => void;
  /** Spans of turns are exported: their lines contain the trace id. */
  readonly isTraced: boolean;
}): TurnEndHook => ({
  turnEnded: (tx, end) => {
    const { turn, body } = end;
    tx.afterCommit(() => {
      parts.turnEnded({
        namespace: turn.namespace,
        state: turn.state,
        errorClass: turn.state === 'FAILED' ? (body.reason ?? '') : '',
        durationMs: between(body.startedAt, turn.finishedAt),
      });
      parts.log.info('turn ended', fieldsOf(end, parts.isTraced));
    });
    return Promise.resolve();
  },
});
