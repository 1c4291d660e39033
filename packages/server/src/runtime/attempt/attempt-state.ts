import type { ClaimedTurn, RecordedNews, TurnClaim } from '../claim/turn-claim.ts';
import { type AttemptSpan, eventSubject, PART, type Part, type PlacedPart, type SessionEvent } from '../contract.ts';
import type { EventSequencer } from '../record/event-sequencer.ts';
import type { Knobs, ResolvedProfile } from '../record/profile-rules.ts';
import { publicPart } from '../record/turn-record.ts';
import type { RuntimeDeps } from '../runtime-deps.ts';
import type { PartWriter } from '../steps/model-call/index.ts';
import type { TurnTranscript } from './turn-transcript.ts';

/** What the parts of one run share; only TurnRun changes it. */
export interface TurnContext {
  readonly claimed: ClaimedTurn;
  readonly claim: TurnClaim;
  readonly transcript: TurnTranscript;
  readonly profiles: readonly [ResolvedProfile, ...ResolvedProfile[]];
  readonly knobs: Knobs;
  readonly deps: RuntimeDeps;
  /** Aborted by stop, loss of the claim, time-out or the end of the drain. */
  readonly signal: AbortSignal;
  /** Trace of the attempt under way. */
  span: AttemptSpan;
  sequencer: EventSequencer;
  /** Writer of the step under way. */
  writer: PartWriter | undefined;
  /** Parts already published, in recorded order. */
  readonly shown: PlacedPart[];
  /** Assistant message being written. */
  messageId: string;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  /** Micros the turn was active so far, earlier claims included; `runtime.turnTimeout` limits it. */
  readonly activeMicros: () => number;
}

/** Publishes an event of the turn, unless the claim was lost: the worker that took over shows the rest. */
const emit = (context: TurnContext, event: SessionEvent): void => {
  if (!context.claim.lost) context.deps.bus.publish(eventSubject(context.claim.sessionId), event);
};

/** Publishes one whole part of the turn and notes it as shown. */
export const showPart = (context: TurnContext, placed: PlacedPart): void => {
  context.shown.push(placed);
  emit(context, context.sequencer.delta(placed.messageId, publicPart(placed.part), context.deps.clock.nowMicros()));
};

/** Part types that a step shows while it runs; the others are shown once they are recorded. */
const isLivePart = (part: Part): boolean => part.type !== PART.USAGE && part.type !== PART.TOOL_CALL;

const placedOf = (
  entry: RecordedNews['entries'][number],
): readonly { readonly placed: PlacedPart; readonly live: boolean }[] => {
  if (entry.kind === 'STEER_INPUT') return [];
  const value = entry.value as { readonly messageId: string; readonly parts?: readonly Part[]; readonly part?: Part };
  const parts = value.parts ?? (value.part === undefined ? [] : [value.part]);
  return parts.map((part) => ({
    placed: { messageId: value.messageId, part },
    live: value.parts !== undefined && isLivePart(part),
  }));
};

/** After a commit: remembers what is recorded and shows what was not shown live, other people's entries first. */
export const noteRecorded = (context: TurnContext, news: RecordedNews): void => {
  for (const placed of news.foreign) {
    context.transcript.recorded.push(placed);
    showPart(context, placed);
  }
  for (const entry of news.entries) {
    for (const { placed, live } of placedOf(entry)) {
      context.transcript.recorded.push(placed);
      if (live) context.shown.push(placed);
      else showPart(context, placed);
    }
  }
};

/** RESET for the message under way, then its recorded parts again. */
export const showReset = (context: TurnContext, reason: string): void => {
  emit(context, context.sequencer.reset(context.messageId, reason, context.deps.clock.nowMicros()));
  const again = context.transcript.recorded.filter((entry) => entry.messageId === context.messageId);
  const rest = context.transcript.recorded.filter((entry) => entry.messageId !== context.messageId);
  context.shown.splice(0, context.shown.length, ...rest);
  for (const placed of again) showPart(context, placed);
};
