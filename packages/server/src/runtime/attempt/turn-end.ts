import type { WriteTx } from '../../store/contracts/index.ts';
import type { ClaimState } from '../claim/turn-claim.ts';
import { eventSubject, PART, type Part, type PlacedPart, type SessionEvent, type TurnUsage } from '../contract.ts';
import { errorPart, type TurnError } from '../record/turn-error.ts';
import { parseSide, partId, publicPart, unitsOf } from '../record/turn-record.ts';
import { closePermissions } from '../session/index.ts';
import { type FinalState, finishTurn, holdObjects } from '../session/turn-finish.ts';
import { closingParts } from '../session/turn-stop.ts';
import { usagePart } from '../steps/model-call/index.ts';
import type { TurnContext } from './attempt-state.ts';
import { chargeUsage, type ModelCallEnd, sideAfterCall } from '../steps/model-step.ts';

/** How a turn ends, as its loop found out. */
export type TurnEnd =
  /** `maySteer`: steer entries found in the final transaction join a further model call instead. */
  | {
      readonly kind: 'completed';
      readonly call: Extract<ModelCallEnd, { kind: 'answered' }>;
      readonly maySteer: boolean;
    }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: TurnError; readonly usage: TurnUsage | undefined };

const REASONS = { stop: 'completed', tool_calls: 'completed', length: 'limit', content_filter: 'refused' } as const;

/** The sum of a turn; available only where every call was counted by its provider. */
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

/** Counted here for a call that was cut off: its text by tokenizer, marked estimated. */
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

const finalOf = (end: TurnEnd, stopRequested: boolean): { readonly state: FinalState; readonly reason: string } => {
  if (end.kind === 'stopped' || stopRequested) return { state: 'STOPPED', reason: 'stopped' };
  if (end.kind === 'failed') return { state: 'FAILED', reason: end.error.errorClass };
  return { state: 'COMPLETED', reason: REASONS[end.call.outcome.finish] };
};

/** What the step under way leaves behind; its text is shown already, its usage is not. */
interface LastStep {
  readonly parts: readonly Part[];
  readonly usage: TurnUsage | undefined;
  readonly usagePart: Part | undefined;
}

const lastStep = (context: TurnContext, end: TurnEnd): LastStep => {
  const { writer, transcript, messageId, deps } = context;
  writer?.flush();
  const parts = writer?.parts() ?? [];
  const reported = end.kind === 'completed' ? end.call.outcome.usage : end.kind === 'failed' ? end.usage : undefined;
  const usage = reported ?? estimatedUsage(context);
  if (writer === undefined || usage === undefined) return { parts, usage, usagePart: undefined };
  const id = partId(transcript.countIn(messageId) + parts.length);
  return { parts, usage, usagePart: { ...usagePart(usage), id, createdAt: deps.clock.nowMicros() } };
};

interface Final {
  readonly reason: string;
  readonly placed: readonly PlacedPart[];
  /** Parts of `placed` that followers see only after the commit, in order. */
  readonly unshown: readonly PlacedPart[];
  readonly error: Part | undefined;
  readonly state: FinalState;
}

/** Parts and state of the end as the final transaction finds them. */
const finalParts = async (
  context: TurnContext,
  end: TurnEnd,
  found: { readonly tx: WriteTx; readonly state: ClaimState; readonly step: LastStep },
): Promise<Final> => {
  const { claim, transcript, messageId, deps } = context;
  const { tx, state, step } = found;
  const { state: finalState, reason } = finalOf(end, state.turn.stopRequested);
  const own = (part: Part): PlacedPart => ({ messageId, part });
  const shown = [...transcript.recorded, ...step.parts.map(own)];
  const unshown = [...state.foreign, ...(step.usagePart === undefined ? [] : [own(step.usagePart)])];
  const mayHaveAsked = state.body.journalCount > 0;
  const closed = mayHaveAsked ? await closePermissions(tx, claim.turnId, { decidedBy: 'system', comment: reason }) : [];
  if (finalState !== 'COMPLETED') {
    unshown.push(...closingParts([...shown, ...unshown], messageId, { closed, at: tx.now() }));
  }
  const placed = [...shown, ...unshown];
  const index = placed.filter((entry) => entry.messageId === messageId).length;
  const error =
    end.kind === 'failed' && finalState === 'FAILED'
      ? errorPart(end.error, partId(index), deps.clock.nowMicros())
      : undefined;
  return { reason, state: finalState, placed, unshown, error };
};

const writeFinal = async (
  context: TurnContext,
  end: TurnEnd,
  found: { readonly tx: WriteTx; readonly state: ClaimState; readonly step: LastStep },
): Promise<{
  readonly final: Final;
  readonly others: readonly SessionEvent[];
  readonly usage: TurnUsage | undefined;
}> => {
  const { deps, messageId } = context;
  const { tx, state, step } = found;
  const final = await finalParts(context, end, found);
  if (step.usage !== undefined) await chargeUsage(tx, context, step.usage);
  await holdObjects({ tx, objects: deps.objects }, state.turn, step.parts);
  const side = parseSide(state.session);
  const usage = step.usage === undefined ? state.body.usage : addUsage(state.body.usage, step.usage);
  const units = final.unshown.reduce((sum, { part }) => sum + unitsOf(part), 0);
  const others = await finishTurn(
    { tx, deps },
    {
      session: state.session,
      steers: state.steers,
      turn: state.turn,
      body: {
        ...state.body,
        activeMicros: context.activeMicros(),
        ...(usage === undefined ? {} : { usage }),
      },
      placed: final.error === undefined ? final.placed : [...final.placed, { messageId, part: final.error }],
      state: final.state,
      reason: final.reason,
      lastSequence: context.sequencer.sequence + units + 1,
      side: end.kind === 'completed' ? sideAfterCall(side, end.call) : side,
    },
  );
  return { final, others, usage };
};

/**
 * After the commit: what followers lack, the terminal event, then those of turns stopped meanwhile. A worker that
 * was away so long that its claim ran out shows nothing: followers have it from the turn row by now.
 */
const publishEnd = (
  context: TurnContext,
  { final, others }: { readonly final: Final; readonly others: readonly SessionEvent[] },
): void => {
  const { deps, sequencer, messageId } = context;
  if (context.claim.lost) return;
  const subject = eventSubject(context.claim.sessionId);
  const timestamp = deps.clock.nowMicros();
  for (const entry of final.unshown)
    deps.bus.publish(subject, sequencer.delta(entry.messageId, publicPart(entry.part), timestamp));
  deps.bus.publish(subject, sequencer.terminal({ messageId, reason: final.reason, part: final.error, timestamp }));
  for (const event of others) deps.bus.publish(subject, event);
};

/**
 * The final transaction, then the terminal event: everything but text leaves only after the commit. A stop
 * flag found in the transaction makes the turn STOPPED; `steered`: steer entries were found, so nothing was written.
 */
export const endTurn = async (context: TurnContext, end: TurnEnd): Promise<'ended' | 'steered'> => {
  const { claim, deps } = context;
  const step = lastStep(context, end);
  let written: Awaited<ReturnType<typeof writeFinal>> | undefined;
  deps.faultPoint('before-final');
  await claim.finish(async (tx, state) => {
    written = undefined;
    const maySteer = end.kind === 'completed' && end.maySteer && !state.turn.stopRequested;
    if (maySteer && state.steers.length > 0) return false;
    written = await writeFinal(context, end, { tx, state, step });
    return true;
  });
  if (written === undefined) return 'steered';
  deps.faultPoint('after-final');
  context.span.turnEnded(written.final.state, written.final.reason, written.usage);
  publishEnd(context, written);
  deps.faultPoint('after-terminal-event');
  return 'ended';
};
