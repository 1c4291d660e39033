import type { SessionEvent, TurnUsage } from '../contract.ts';
import { eventSubject, PART, type PlacedPart } from '../contract.ts';
import { parseSide, partId } from '../turn-record.ts';
import { usagePart } from './model-step.ts';
import { closePermissions } from './permission-records.ts';
import type { TurnContext } from './turn-context.ts';
import { errorPart, type TurnError } from './turn-error.ts';
import { type FinalState, finishTurn } from './turn-finish.ts';
import { chargeUsage, type ModelCallEnd, sideAfterCall } from './turn-model.ts';
import { stoppedResults } from './turn-stop.ts';

/** How a turn ends, as its loop found out. */
export type TurnEnd =
  | { readonly kind: 'completed'; readonly call: Extract<ModelCallEnd, { kind: 'answered' }> }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: TurnError; readonly usage: TurnUsage | undefined };

const REASONS = { stop: 'completed', tool_calls: 'completed', length: 'limit', content_filter: 'refused' } as const;

export const addUsage = (total: TurnUsage | undefined, usage: TurnUsage): TurnUsage =>
  total === undefined
    ? usage
    : {
        ...usage,
        inputTokens: total.inputTokens + usage.inputTokens,
        cachedInputTokens: total.cachedInputTokens + usage.cachedInputTokens,
        cacheWriteTokens: total.cacheWriteTokens + usage.cacheWriteTokens,
        outputTokens: total.outputTokens + usage.outputTokens,
        reasoningTokens: total.reasoningTokens + usage.reasoningTokens,
        totalTokens: total.totalTokens + usage.totalTokens,
        usageAvailable: total.usageAvailable && usage.usageAvailable,
      };

/** Counted here for a call that was cut off: its text by tokenizer, marked estimated (RT-4.4). */
const estimatedUsage = (context: TurnContext): TurnUsage | undefined => {
  const texts = (context.writer?.parts() ?? []).filter(
    (part) => part.type === PART.TEXT || part.type === PART.REASONING,
  );
  if (texts.length === 0) return undefined;
  const [profile] = context.profiles;
  const outputTokens = texts.reduce(
    (sum, part) => sum + context.deps.models.countTokens(profile.target, part.content ?? ''),
    0,
  );
  const { provider, model } = profile.target;
  return {
    inputTokens: 0,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    outputTokens,
    reasoningTokens: 0,
    totalTokens: outputTokens,
    usageAvailable: false,
    estimated: true,
    provider,
    model,
  };
};

/** Parts of the step under way, its usage shown last, and `stopped` results for calls that have none. */
const closeStep = (
  context: TurnContext,
  end: TurnEnd,
): { readonly placed: PlacedPart[]; readonly usage: TurnUsage | undefined } => {
  const { transcript, writer, messageId, deps } = context;
  writer?.flush();
  const usage =
    end.kind === 'completed'
      ? end.call.outcome.usage
      : end.kind === 'failed'
        ? (end.usage ?? estimatedUsage(context))
        : estimatedUsage(context);
  if (writer !== undefined && usage !== undefined) writer.whole(usagePart(usage));
  const placed = [...transcript.recorded, ...(writer?.parts() ?? []).map((part) => ({ messageId, part }))];
  if (end.kind === 'completed') return { placed, usage };
  const now = deps.clock.nowMicros();
  for (const entry of stoppedResults(placed, now)) {
    const result = {
      messageId,
      part: { ...entry.part, id: partId(placed.filter((other) => other.messageId === messageId).length) },
    };
    placed.push(result);
    deps.bus.publish(eventSubject(context.claim.sessionId), context.sequencer.delta(messageId, result.part, now));
  }
  return { placed, usage };
};

const finalOf = (end: TurnEnd, stopRequested: boolean): { readonly state: FinalState; readonly reason: string } => {
  if (end.kind === 'failed') return { state: 'FAILED', reason: end.error.errorClass };
  if (end.kind === 'stopped' || stopRequested) return { state: 'STOPPED', reason: 'stopped' };
  return { state: 'COMPLETED', reason: REASONS[end.call.outcome.finish] };
};

/**
 * The final transaction, then the terminal event (RT-2.5, R9): DONE or ERROR leaves only after the commit, followed by
 * those of turns stopped meanwhile. A stop flag found in the transaction makes a completed turn STOPPED.
 */
export const endTurn = async (context: TurnContext, end: TurnEnd): Promise<void> => {
  const { claim, deps, messageId } = context;
  const { placed, usage } = closeStep(context, end);
  const lastSequence = context.sequencer.nextUnit;
  const index = placed.filter((entry) => entry.messageId === messageId).length;
  const failed = end.kind === 'failed' ? errorPart(end.error, partId(index), deps.clock.nowMicros()) : undefined;
  const all = failed === undefined ? placed : [...placed, { messageId, part: failed }];
  let reason = '';
  let others: readonly SessionEvent[] = [];
  deps.faultPoint('before-final');
  await claim.guarded(async (tx, state) => {
    const final = finalOf(end, state.turn.stopRequested);
    reason = final.reason;
    if (usage !== undefined) await chargeUsage(tx, context, usage);
    if (state.body.journalCount > 0) await closePermissions(tx, claim.turnId, { decidedBy: 'system', comment: reason });
    const side =
      end.kind === 'completed' ? sideAfterCall(parseSide(state.session), end.call) : parseSide(state.session);
    const total = usage === undefined ? state.body.usage : addUsage(state.body.usage, usage);
    const body = {
      ...state.body,
      activeMicros: context.activeMicros(),
      ...(total === undefined ? {} : { usage: total }),
    };
    others = await finishTurn(
      tx,
      {
        session: state.session,
        turn: state.turn,
        body,
        placed: [...all, ...state.foreign],
        state: final.state,
        reason,
        lastSequence,
        side,
      },
      deps,
    );
  });
  deps.faultPoint('after-final');
  const terminal = context.sequencer.terminal({ messageId, reason, part: failed, timestamp: deps.clock.nowMicros() });
  deps.bus.publish(eventSubject(claim.sessionId), terminal);
  for (const event of others) deps.bus.publish(eventSubject(event.sessionId), event);
  deps.faultPoint('after-terminal-event');
};
