import { isFault } from '../../base/index.ts';
import type { ModelRequest } from '../../models/contract.ts';
import type { OfferedTool } from '../../tools/contract.ts';
import { PART, type PromptPlan, type SessionSide, type TurnUsage } from '../contract.ts';
import { EventSequencer } from '../event-sequencer.ts';
import { parseSide, partId } from '../turn-record.ts';
import { runModelStep, type StepOutcome } from './model-step.ts';
import { PartWriter } from './part-writer.ts';
import type { ResolvedProfile } from './profile-rules.ts';
import { noteRecorded, showReset, type TurnContext } from './turn-context.ts';
import { mayFailOver, type TurnErrorClass } from './turn-error.ts';

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

const planPrompt = async (
  context: TurnContext,
  profile: ResolvedProfile,
  options: {
    readonly offered: readonly OfferedTool[];
    readonly windowFactor: number;
    readonly skipCompaction: boolean;
  },
): Promise<PromptPlan> => {
  const { claimed, deps, transcript } = context;
  const { agent, session, turn, body } = claimed;
  const side = parseSide(session);
  return deps.prompts.plan({
    agent,
    namespaceLabels: context.namespaceLabels,
    session: { id: session.id, labels: session.labels },
    sender: body.cause.labels['svc/external-sender-name'] ?? '',
    channel: session.labels['svc/channel'] ?? '',
    target: profile.target,
    nowMicros: body.snapshot?.nowMicros ?? turn.createdAt,
    transcript: transcript.messages(),
    turnId: turn.id,
    tools: options.offered.map(({ tool }) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
    })),
    tokenCorrection: side.tokenCorrection[correctionKey(profile)] ?? 1,
    windowFactor: options.windowFactor,
    skipCompaction: options.skipCompaction,
  });
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
  ...(context.claimed.body.cause.traceParent === undefined
    ? {}
    : { traceHeaders: { traceparent: context.claimed.body.cause.traceParent } }),
});

/** Runs the compaction call and journals its summary; false when it brought nothing and is ignored for this turn (RT-3 row 2). */
const compact = async (
  context: TurnContext,
  profile: ResolvedProfile,
  plan: Extract<PromptPlan, { kind: 'compact' }>,
): Promise<boolean> => {
  let text = '';
  let usage: TurnUsage | undefined;
  const request = {
    ...requestOf(context, profile, { messages: plan.messages, tools: [] }),
    maxOutputTokens: plan.maxOutputTokens,
  };
  const silent = new PartWriter({
    clock: context.deps.clock,
    bus: { publish: () => undefined },
    sequencer: context.sequencer,
    sessionId: context.claim.sessionId,
    messageId: context.messageId,
    firstIndex: 0,
  });
  const outcome = await runModelStep(
    request,
    { writer: silent, signal: context.signal, hideReasoning: true },
    context.deps,
  );
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

/** Reserves one llm.requests for a provider about to be tried; undefined when allowed (RT-9). */
const reserve = async (
  context: TurnContext,
  profile: ResolvedProfile,
  step: number,
): Promise<Extract<ModelCallEnd, { kind: 'failed' }> | undefined> => {
  const { deps, claimed, claim } = context;
  const { turn, body } = claimed;
  if (!deps.usage.governs(turn.namespace)) return undefined;
  const subject = {
    namespace: turn.namespace,
    agent: turn.agent,
    identity: body.cause.identity,
    provider: profile.target.provider,
    model: profile.target.model,
  };
  try {
    await claim.guarded((tx) =>
      deps.usage.reserve(tx, 'llm.requests', subject, `${turn.id}/${turn.attempt}/${step}/${correctionKey(profile)}`),
    );
    return undefined;
  } catch (error) {
    if (!isFault(error) || error.reason !== 'QUOTA_EXCEEDED') throw error;
    return {
      kind: 'failed',
      errorClass: 'quota_exceeded',
      sentence: error.message,
      usage: undefined,
      metadata: error.metadata,
    };
  }
};

const newWriter = (context: TurnContext): PartWriter => {
  const { deps, claim, transcript, messageId } = context;
  return new PartWriter({
    clock: deps.clock,
    bus: deps.bus,
    sequencer: context.sequencer,
    sessionId: claim.sessionId,
    messageId,
    firstIndex: transcript.countIn(messageId),
  });
};

/** A new fence and attempt for a step whose connection was lost after the first token (RT-4.3 streamRestart, R31). */
const restartStep = async (context: TurnContext): Promise<void> => {
  const { claim, claimed, messageId, transcript } = context;
  context.writer?.silence();
  const attempt = context.sequencer.attempt + 1;
  let fence = claim.fence;
  await claim.commit(
    async (_tx, state) => {
      fence = state.session.fence + 1;
      const firstPart = transcript.recorded.findIndex((entry) => entry.messageId === messageId);
      const span = {
        fence,
        attempt,
        firstPart: firstPart === -1 ? transcript.recorded.length : firstPart,
        reset: true,
        reason: 'retry',
        messageId,
      };
      return { turn: { fence, attempt }, session: { fence }, body: { spans: [...state.body.spans, span] } };
    },
    (news) => noteRecorded(context, news),
  );
  claim.fence = fence;
  context.sequencer = new EventSequencer(
    { namespace: claimed.turn.namespace, agent: claimed.turn.agent, sessionId: claim.sessionId, turnId: claim.turnId },
    fence,
    attempt,
  );
  showReset(context, 'retry');
};

interface TryState {
  windowFactor: number;
  skipCompaction: boolean;
  restarts: number;
}

const planForCall = async (
  context: TurnContext,
  profile: ResolvedProfile,
  offered: readonly OfferedTool[],
  state: TryState,
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

/** One step's model call with fail-over, restart and budget (RT-2.5 rows 3-5, 4.3). The text is in `context.writer`. */
export const callModel = async (
  context: TurnContext,
  offered: readonly OfferedTool[],
  step: number,
): Promise<ModelCallEnd> => {
  const state: TryState = { windowFactor: 1, skipCompaction: !context.knobs.compaction, restarts: 0 };
  let last: FailedOutcome | undefined;
  for (const profile of context.profiles) {
    for (;;) {
      const plan = await planForCall(context, profile, offered, state);
      if (plan === undefined)
        return {
          kind: 'failed',
          errorClass: 'context_overflow',
          sentence: 'The conversation does not fit the model any more.',
          usage: undefined,
        };
      const refused = await reserve(context, profile, step);
      if (refused !== undefined) return refused;
      context.writer = newWriter(context);
      context.deps.faultPoint('before-model-call');
      const outcome = await runModelStep(
        requestOf(context, profile, plan),
        { writer: context.writer, signal: context.signal, hideReasoning: context.knobs.hideReasoning },
        context.deps,
      );
      context.deps.faultPoint('after-model-call');
      if (outcome.kind === 'aborted') return outcome;
      if (outcome.kind === 'finished') return { kind: 'answered', outcome, countedTokens: plan.countedTokens, profile };
      last = outcome;
      const next = await afterFailure(context, outcome, state);
      if (next === 'fail') return failure(outcome);
      if (next === 'next') break;
    }
  }
  return last === undefined
    ? { kind: 'failed', errorClass: 'internal', sentence: 'No model could be called.', usage: undefined }
    : failure(last);
};

const failure = (outcome: FailedOutcome): ModelCallEnd => ({
  kind: 'failed',
  errorClass: outcome.error.errorClass,
  sentence: outcome.error.sentence,
  usage: outcome.usage,
});

/** Side state after a model call: context tokens and the correction of counted by reported input tokens (RT-3). */
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
