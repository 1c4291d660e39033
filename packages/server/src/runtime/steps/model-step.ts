import { isFault } from '../../base/index.ts';
import type { ModelRequest } from '../../models/contract.ts';
import type { OfferedTool } from '../../tools/contract.ts';
import {
  callerTrace,
  noMeter,
  noTracer,
  PART,
  type PromptPlan,
  type PromptRequest,
  type SessionSide,
  type TurnCause,
  type TurnUsage,
} from '../contract.ts';
import { EventSequencer } from '../record/event-sequencer.ts';
import type { ResolvedProfile } from '../record/profile-rules.ts';
import { mayFailOver, type TurnErrorClass } from '../record/turn-error.ts';
import { admittedAt, parseSide, partId } from '../record/turn-record.ts';
import { PartWriter, runModelStep, type StepOutcome } from './model-call/index.ts';
import { noteRecorded, showReset, type TurnContext } from '../attempt/attempt-state.ts';

/** End of the model call of one step. */
export type ModelCallEnd =
  | {
      readonly kind: 'answered';
      readonly outcome: Extract<StepOutcome, { kind: 'finished' }>;
      readonly countedTokens: number;
      readonly profile: ResolvedProfile;
    }
  | {
      readonly kind: 'failed';
      readonly errorClass: TurnErrorClass;
      readonly sentence: string;
      readonly usage: TurnUsage | undefined;
      readonly metadata?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'aborted' };

type CallPlan = Extract<PromptPlan, { kind: 'call' }>;

const correctionKey = (profile: ResolvedProfile): string => `${profile.target.provider}/${profile.target.model}`;

/** Turns that are offered the same list share what their models get of it. */
const toldTools = new WeakMap<readonly OfferedTool[], PromptRequest['tools']>();

const modelTools = (offered: readonly OfferedTool[]): PromptRequest['tools'] => {
  const known = toldTools.get(offered);
  if (known !== undefined) return known;
  const told = offered.map(({ tool: { name, description, inputSchema } }) => ({ name, description, inputSchema }));
  toldTools.set(offered, told);
  return told;
};

const planPrompt = async (
  context: TurnContext,
  profile: ResolvedProfile,
  options: {
    readonly offered: readonly OfferedTool[];
    readonly windowFactor: number;
    readonly skipCompaction: boolean;
  },
): Promise<PromptPlan> => {
  const { claim, claimed, deps, transcript } = context;
  const { agent, session, turn, body } = claimed;
  const side = parseSide(session);
  const source = deps.skills;
  const skills =
    source === undefined
      ? undefined
      : await claim.patiently(() => deps.store.read((tx) => source.promptSkills(tx, turn.namespace, side.skills)));
  const request: PromptRequest = {
    agent,
    namespaceLabels: context.namespaceLabels,
    session: { id: session.id, labels: session.labels },
    sender: body.cause.labels['svc/external-sender-name'] ?? '',
    channel: session.labels['svc/channel'] ?? '',
    target: profile.target,
    nowMicros: body.snapshot?.nowMicros ?? admittedAt(turn, body),
    transcript: transcript.messages(),
    turnId: turn.id,
    tools: modelTools(options.offered),
    tokenCorrection: side.tokenCorrection[correctionKey(profile)] ?? 1,
    windowFactor: options.windowFactor,
    skipCompaction: options.skipCompaction,
    goals: (side.goals ?? []).filter((goal) => goal.phase === 'active'),
    ...(skills === undefined ? {} : { skills }),
  };
  return claim.patiently(() => deps.prompts.plan(request));
};

const tracedBy = (cause: TurnCause): Pick<ModelRequest, 'traceHeaders'> => {
  const traceHeaders = callerTrace(cause);
  return traceHeaders === undefined ? {} : { traceHeaders };
};

const requestOf = (
  context: TurnContext,
  profile: ResolvedProfile,
  plan: Pick<CallPlan, 'messages' | 'tools'>,
): ModelRequest => ({
  target: profile.target,
  messages: plan.messages,
  tools: plan.tools,
  ...(profile.temperature === undefined ? {} : { temperature: profile.temperature }),
  ...(profile.thinking === undefined ? {} : { thinking: profile.thinking }),
  namespace: context.claimed.turn.namespace,
  turnId: context.claim.turnId,
  callNumber: context.claim.body.modelCalls + 1,
  ...tracedBy(context.claimed.body.cause),
});

/** Runs the compaction call and journals its summary; false when it brought nothing and is ignored for this turn. */
const compact = async (
  context: TurnContext,
  profile: ResolvedProfile,
  plan: Extract<PromptPlan, { kind: 'compact' }>,
): Promise<boolean> => {
  const call = `${context.claim.body.modelCalls + 1}/compaction`;
  if ((await reserve(context, profile, call)) !== undefined) return false;
  let text = '';
  let usage: TurnUsage | undefined;
  const request = {
    ...requestOf(context, profile, { messages: plan.messages, tools: [] }),
    maxOutputTokens: plan.maxOutputTokens,
    purpose: 'compaction' as const,
  };
  const silent = new PartWriter({
    clock: context.deps.clock,
    pressure: context.deps.pressure,
    bus: { publish: () => undefined },
    sequencer: new EventSequencer(context.claimed.turn, context.claim.fence, { attempt: context.sequencer.attempt }),
    sessionId: context.claim.sessionId,
    messageId: context.messageId,
    firstIndex: 0,
    isLost: () => true,
  });
  const outcome = await runModelStep(
    request,
    { writer: silent, signal: context.signal, hideReasoning: true, attempt: context.span, claim: context.claim },
    context.deps,
  );
  if (outcome.kind === 'failed' && outcome.error.beforeFirstByte) await giveBack(context, profile, call);
  if (outcome.kind !== 'finished') return false;
  for (const part of silent.parts()) if (part.type === PART.TEXT) text += part.content ?? '';
  usage = outcome.usage;
  if (text.trim() === '' || context.deps.models.countTokens(profile.target, text) >= plan.sourceTokens) return false;
  context.deps.faultPoint('before-compaction-entry');
  await context.claim.commit(
    async (tx, state) => {
      const index = context.transcript.countIn(context.messageId) + state.foreign.length;
      const part = {
        id: partId(index),
        type: PART.COMPACTION,
        content: text,
        payload: { through_message_id: plan.throughMessageId },
        createdAt: tx.now(),
      };
      if (usage !== undefined) await chargeUsage(tx, context, usage);
      return { entries: [{ kind: 'COMPACTION', value: { messageId: context.messageId, part } }] };
    },
    (news) => noteRecorded(context, news),
  );
  context.deps.faultPoint('after-compaction-entry');
  return true;
};

/** Counts a model call against the policies of its namespace, in the transaction that records it. */
export const chargeUsage = async (
  tx: Parameters<TurnContext['deps']['usage']['charge']>[0],
  context: TurnContext,
  usage: TurnUsage,
): Promise<void> => {
  const { turn, body } = context.claimed;
  if (!context.deps.usage.governs(turn.namespace)) return;
  await context.deps.usage.charge(
    tx,
    {
      namespace: turn.namespace,
      agent: turn.agent,
      identity: body.cause.identity,
      provider: usage.provider,
      model: usage.model,
    },
    usage,
  );
};

const reservation = ({ claimed }: TurnContext, profile: ResolvedProfile, step: number | string) => {
  const { turn, body } = claimed;
  const { provider, model } = profile.target;
  return {
    subject: { namespace: turn.namespace, agent: turn.agent, identity: body.cause.identity, provider, model },
    key: `${turn.id}/${turn.attempt}/${step}/${correctionKey(profile)}`,
  };
};

/** Reserves one llm.requests for a provider about to be tried; undefined when allowed. */
const reserve = async (
  context: TurnContext,
  profile: ResolvedProfile,
  step: number | string,
): Promise<Extract<ModelCallEnd, { kind: 'failed' }> | undefined> => {
  const { deps, claimed, claim } = context;
  if (!deps.usage.governs(claimed.turn.namespace)) return undefined;
  const { subject, key } = reservation(context, profile, step);
  try {
    await claim.guarded((tx) => deps.usage.reserve(tx, 'llm.requests', subject, key));
    return undefined;
  } catch (error) {
    if (!isFault(error) || error.reason !== 'QUOTA_EXCEEDED') throw error;
    const { message: sentence, metadata } = error;
    return { kind: 'failed', errorClass: 'quota_exceeded', sentence, usage: undefined, metadata };
  }
};

/** Not one byte of an answer came: the request does not count. */
const giveBack = async (context: TurnContext, profile: ResolvedProfile, step: number | string): Promise<void> => {
  const { deps, claimed, claim } = context;
  if (!deps.usage.governs(claimed.turn.namespace)) return;
  const { subject, key } = reservation(context, profile, step);
  await claim.guarded((tx) => deps.usage.giveBack(tx, 'llm.requests', subject, key));
};

const newWriter = (context: TurnContext): PartWriter => {
  const { deps, claim, transcript, messageId } = context;
  return new PartWriter({
    clock: deps.clock,
    pressure: deps.pressure,
    bus: deps.bus,
    sequencer: context.sequencer,
    sessionId: claim.sessionId,
    messageId,
    firstIndex: transcript.countIn(messageId),
    isLost: () => claim.lost,
  });
};

/** A new fence and attempt for a step whose connection was lost after the first token (`models.streamRestart`). */
const restartStep = async (context: TurnContext): Promise<void> => {
  const { claim, claimed, messageId, transcript } = context;
  // What arrived is shown before it is taken back, so that a reader sees why there is a new attempt.
  context.writer?.flush();
  context.writer?.silence();
  const attempt = context.sequencer.attempt + 1;
  let fence = 0;
  await claim.moveFence(
    async (_tx, state) => {
      fence = state.session.fence + 1;
      const own = transcript.recorded.findIndex((entry) => entry.messageId === messageId);
      const firstPart = own === -1 ? transcript.recorded.length : own;
      const span = { fence, attempt, firstPart, reset: true, reason: 'retry', messageId };
      return { turn: { fence, attempt }, session: { fence }, body: { spans: [...state.body.spans, span] } };
    },
    () => {
      context.writer = undefined;
      context.sequencer = new EventSequencer(claimed.turn, fence, { attempt: attempt });
      showReset(context, 'retry');
      context.span.end('retried');
      const { tracer = noTracer } = context.deps;
      context.span = tracer.attempt(claimed.turn, claimed.body.cause, attempt);
    },
  );
};

interface TryState {
  windowFactor: number;
  skipCompaction: boolean;
  restarts: number;
}

const planForCall = async (
  context: TurnContext,
  profile: ResolvedProfile,
  { offered, state }: { readonly offered: readonly OfferedTool[]; readonly state: TryState },
): Promise<CallPlan | undefined> => {
  for (;;) {
    const plan = await planPrompt(context, profile, {
      offered,
      windowFactor: state.windowFactor,
      skipCompaction: state.skipCompaction,
    });
    if (plan.kind === 'call') return plan;
    if (plan.kind === 'overflow') return undefined;
    if (!(await compact(context, profile, plan))) state.skipCompaction = true;
  }
};

type FailedOutcome = Extract<StepOutcome, { kind: 'failed' }>;

/** What to do after a failed try: again, with another profile, or give up. */
const afterFailure = async (
  context: TurnContext,
  outcome: FailedOutcome,
  state: TryState,
): Promise<'again' | 'next' | 'fail'> => {
  const { error } = outcome;
  if (error.errorClass === 'context_overflow' && state.windowFactor === 1 && error.beforeFirstToken) {
    state.windowFactor = 0.5;
    return 'again';
  }
  if (error.beforeFirstToken) return mayFailOver(error.errorClass, error.httpStatus) ? 'next' : 'fail';
  const isTransportLoss = error.errorClass === 'provider_stream' || error.errorClass === 'provider_unavailable';
  if (!isTransportLoss || state.restarts >= context.deps.config.streamRestart) return 'fail';
  state.restarts += 1;
  await restartStep(context);
  return 'again';
};

/** Calls one profile's model until it answers, fails for good, or another profile should be tried. */
const tryProfile = async (
  context: TurnContext,
  profile: ResolvedProfile,
  call: { readonly offered: readonly OfferedTool[]; readonly step: number; readonly state: TryState },
): Promise<ModelCallEnd | { readonly kind: 'next'; readonly outcome: FailedOutcome }> => {
  const { deps } = context;
  for (;;) {
    const plan = await planForCall(context, profile, call);
    if (plan === undefined) return OVERFLOW;
    const refused = await reserve(context, profile, call.step);
    if (refused !== undefined) return refused;
    context.writer = newWriter(context);
    deps.faultPoint('before-model-call');
    const outcome = await runModelStep(
      requestOf(context, profile, plan),
      {
        writer: context.writer,
        signal: context.signal,
        hideReasoning: context.knobs.hideReasoning,
        attempt: context.span,
        claim: context.claim,
      },
      deps,
    );
    deps.faultPoint('after-model-call');
    if (outcome.kind === 'aborted') return outcome;
    if (outcome.kind === 'finished') return { kind: 'answered', outcome, countedTokens: plan.countedTokens, profile };
    if (outcome.error.beforeFirstByte) await giveBack(context, profile, call.step);
    const next = await afterFailure(context, outcome, call.state);
    if (next === 'fail') return failure(outcome);
    if (next === 'next') return { kind: 'next', outcome };
  }
};

/** One step's model call with fail-over, restart and budget. The text is in `context.writer`. */
export const callModel = async (
  context: TurnContext,
  offered: readonly OfferedTool[],
  step: number,
): Promise<ModelCallEnd> => {
  const state: TryState = { windowFactor: 1, skipCompaction: !context.knobs.compaction, restarts: 0 };
  let last: FailedOutcome | undefined;
  for (const profile of context.profiles) {
    const end = await tryProfile(context, profile, { offered, step, state });
    if (end.kind !== 'next') return end;
    last = end.outcome;
    if (profile !== context.profiles.at(-1))
      (context.deps.meter ?? noMeter).failedOver(profile.target, last.error.errorClass);
  }
  return last === undefined ? OVERFLOW : failure(last);
};

const OVERFLOW: ModelCallEnd = {
  kind: 'failed',
  errorClass: 'context_overflow',
  sentence: 'The conversation does not fit the model any more.',
  usage: undefined,
};

const failure = (outcome: FailedOutcome): ModelCallEnd => ({
  kind: 'failed',
  errorClass: outcome.error.errorClass,
  sentence: outcome.error.sentence,
  usage: outcome.usage,
});

/** Side state after a model call: context tokens and the correction of counted by reported input tokens. */
export const sideAfterCall = (side: SessionSide, call: Extract<ModelCallEnd, { kind: 'answered' }>): SessionSide => {
  const { usage } = call.outcome;
  const known = usage.usageAvailable && call.countedTokens > 0 && usage.inputTokens > 0;
  const correction = known
    ? {
        ...side.tokenCorrection,
        [correctionKey(call.profile)]: Number((usage.inputTokens / call.countedTokens).toFixed(4)),
      }
    : side.tokenCorrection;
  return { ...side, contextTokens: usage, tokenCorrection: correction };
};
