import type { ModelRegistry } from '../../models/contract.ts';
import type { WriteTx } from '../../store/contracts/index.ts';
import type { ClaimState } from '../claim/index.ts';
import {
  type KeptCall,
  type ObjectAccess,
  PART,
  type Part,
  type PlacedPart,
  type SessionEvent,
  type SessionSide,
  type TurnUsage,
} from '../contract.ts';
import {
  addUsage,
  closingParts,
  errorPart,
  type FinalState,
  parseSide,
  partId,
  type TurnError,
  unitsOf,
} from '../record/index.ts';
import { closePermissions, type FinishPorts, finishTurn, holdObjects, type KeepSources } from '../session/index.ts';
import {
  chargeUsage,
  type FaultPort,
  type QuotaPorts,
  type StepAnswer,
  sideAfterCall,
  usagePart,
} from '../steps/index.ts';
import type { AttemptState, StatePorts } from './attempt-state.ts';

/** What the end of a turn uses. */
export interface EndPorts extends Omit<FinishPorts, 'usage'>, QuotaPorts, FaultPort, Pick<StatePorts, 'clock'> {
  readonly objects: Pick<ObjectAccess, 'hold'>;
  readonly keepSources: KeepSources;
  readonly models: Pick<ModelRegistry, 'countTokens'>;
}

/** How a turn ends, as its loop found out. */
export type TurnEnd =
  /** `maySteer`: steer entries found in the final transaction join a further model call instead. */
  | Pick<StepAnswer, 'kind' | 'answer' | 'maySteer'>
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: TurnError; readonly usage: TurnUsage | undefined };

const REASONS = { stop: 'completed', tool_calls: 'completed', length: 'limit', content_filter: 'refused' } as const;

/** Counted here for a call that was cut off: its text by tokenizer, marked estimated. */
const estimatedUsage = (
  { writer, profiles }: AttemptState,
  { models }: Pick<EndPorts, 'models'>,
): TurnUsage | undefined => {
  const texts = (writer?.parts() ?? []).filter((part) => part.type === PART.TEXT || part.type === PART.REASONING);
  if (texts.length === 0) return undefined;
  const [profile] = profiles;
  const outputTokens = texts.reduce((sum, part) => sum + models.countTokens(profile.target, part.content ?? ''), 0);
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
  return { state: 'COMPLETED', reason: REASONS[end.answer.outcome.finish] };
};

/** What the step under way leaves behind; its text is shown already, its usage is not. */
interface LastStep {
  readonly parts: readonly Part[];
  readonly usage: TurnUsage | undefined;
  readonly usagePart: Part | undefined;
  /** The request that it answers, where one left. */
  readonly asked: KeptCall | undefined;
}

const lastStep = (turn: AttemptState, end: TurnEnd, ports: EndPorts): LastStep => {
  const { writer } = turn;
  writer?.flush();
  const parts = writer?.parts() ?? [];
  const reported = end.kind === 'answered' ? end.answer.outcome.usage : end.kind === 'failed' ? end.usage : undefined;
  const usage = reported ?? estimatedUsage(turn, ports);
  const asked = writer?.call?.kept();
  if (writer === undefined || usage === undefined) return { parts, usage, asked, usagePart: undefined };
  const id = partId(turn.nextIndex + parts.length);
  return { parts, usage, asked, usagePart: { ...usagePart(usage), id, createdAt: ports.clock.nowMicros() } };
};

interface Final {
  readonly reason: string;
  readonly placed: readonly PlacedPart[];
  /** Parts of `placed` that followers see only after the commit, in order. */
  readonly unshown: readonly PlacedPart[];
  readonly error: Part | undefined;
  readonly state: FinalState;
}

/** The final transaction, with what it finds and what the step under way left. */
interface Found {
  readonly tx: WriteTx;
  readonly state: ClaimState;
  readonly step: LastStep;
  readonly ports: EndPorts;
}

interface Written {
  readonly final: Final;
  /** Terminal events of turns that were stopped meanwhile. */
  readonly others: readonly SessionEvent[];
  readonly usage: TurnUsage | undefined;
}

/** Parts and state of the end as the final transaction finds them. */
const finalParts = async (turn: AttemptState, end: TurnEnd, found: Found): Promise<Final> => {
  const { messageId } = turn;
  const { tx, state, step, ports } = found;
  const { state: finalState, reason } = finalOf(end, state.turn.stopRequested);
  const own = (part: Part): PlacedPart => ({ messageId, part });
  const shown = [...turn.recorded, ...step.parts.map(own)];
  const unshown = [...state.foreign, ...(step.usagePart === undefined ? [] : [own(step.usagePart)])];
  const mayHaveAsked = state.body.journalCount > 0;
  const closed = mayHaveAsked ? await closePermissions(tx, turn.row.id, { decidedBy: 'system', comment: reason }) : [];
  if (finalState !== 'COMPLETED') {
    unshown.push(...closingParts([...shown, ...unshown], messageId, { closed, at: tx.now() }));
  }
  const placed = [...shown, ...unshown];
  const index = placed.filter((entry) => entry.messageId === messageId).length;
  const error =
    end.kind === 'failed' && finalState === 'FAILED'
      ? errorPart(end.error, partId(index), ports.clock.nowMicros())
      : undefined;
  return { reason, state: finalState, placed, unshown, error };
};

/** The session's sum with that of a turn that ends. */
const withTotal = (side: SessionSide, usage: TurnUsage | undefined): SessionSide =>
  usage === undefined ? side : { ...side, totalUsage: addUsage(side.totalUsage, usage) };

const writeFinal = async (turn: AttemptState, end: TurnEnd, found: Found): Promise<Written> => {
  const { messageId } = turn;
  const { tx, state, step, ports } = found;
  const final = await finalParts(turn, end, found);
  if (step.usage !== undefined) await chargeUsage({ tx, usage: ports.usage }, turn, step.usage);
  else await ports.usage.releaseCost(tx, turn.row.namespace, turn.row.id);
  await holdObjects({ tx, objects: ports.objects }, state.turn, step.parts);
  await ports.keepSources(tx, turn.agent, step.asked?.sources ?? []);
  const side = parseSide(state.session);
  const usage = step.usage === undefined ? state.body.usage : addUsage(state.body.usage, step.usage);
  const units = final.unshown.reduce((sum, { part }) => sum + unitsOf(part), 0);
  const others = await finishTurn(
    { tx, ports },
    {
      session: state.session,
      steers: state.steers,
      turn: state.turn,
      body: {
        ...state.body,
        activeMicros: turn.activeMicros(),
        ...(usage === undefined ? {} : { usage }),
        ...(step.asked === undefined ? {} : { lastCall: step.asked.record }),
      },
      placed: final.error === undefined ? final.placed : [...final.placed, { messageId, part: final.error }],
      state: final.state,
      reason: final.reason,
      lastSequence: turn.sequence + units + 1,
      side: withTotal(end.kind === 'answered' ? sideAfterCall(side, end.answer) : side, usage),
    },
  );
  return { final, others, usage };
};

/**
 * The final transaction, then the terminal event: everything but text leaves only after the commit. A stop
 * flag found in the transaction makes the turn STOPPED; `steered`: steer entries were found, so nothing was written.
 */
export const endTurn = async (turn: AttemptState, end: TurnEnd, ports: EndPorts): Promise<'ended' | 'steered'> => {
  const step = lastStep(turn, end, ports);
  let written: Written | undefined;
  ports.faultPoint('before-final');
  await turn.claim.finish(async (tx, state) => {
    written = undefined;
    const maySteer = end.kind === 'answered' && end.maySteer && !state.turn.stopRequested;
    if (maySteer && state.steers.length > 0) return false;
    written = await writeFinal(turn, end, { tx, state, step, ports });
    return true;
  });
  if (written === undefined) return 'steered';
  ports.faultPoint('after-final');
  const { final, others, usage } = written;
  turn.span.turnEnded(final.state, final.reason, usage);
  turn.publishEnd({ unshown: final.unshown, reason: final.reason, error: final.error, others });
  ports.faultPoint('after-terminal-event');
  return 'ended';
};
