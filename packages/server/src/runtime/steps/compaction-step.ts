import type { ModelRegistry } from '../../models/contract.ts';
import { PART, type PromptPlan, type SessionSide } from '../contract.ts';
import { addUsage, EventSequencer, parseSide, partId, type ResolvedProfile } from '../record/index.ts';
import { PartWriter, type WriterPorts } from './answer/index.ts';
import type { FaultPort, Step, StepTurn } from './contract.ts';
import { type CallPorts, modelRequest, runModelCall } from './model-call/index.ts';
import { chargeUsage, type Quota, type QuotaPorts } from './quota-step.ts';

/** What a compaction uses. */
export interface CompactionPorts extends CallPorts, Omit<WriterPorts, 'bus'>, QuotaPorts, FaultPort {
  readonly models: Pick<ModelRegistry, 'stream' | 'countTokens'>;
}

/** The summary that a prompt plan asks for before its call. */
export interface CompactionRequest {
  readonly profile: ResolvedProfile;
  readonly plan: Extract<PromptPlan, { kind: 'compact' }>;
}

const silentBus = { publish: () => undefined };

/** A summary is shown once it is recorded, never while it is written. */
const silentWriter = (turn: StepTurn, { clock, pressure }: Pick<CompactionPorts, 'clock' | 'pressure'>): PartWriter =>
  new PartWriter({
    clock,
    pressure,
    bus: silentBus,
    sequencer: new EventSequencer(turn.row, turn.claim.fence, { attempt: turn.attempt }),
    sessionId: turn.row.sessionId,
    messageId: turn.messageId,
    firstIndex: 0,
    isLost: () => true,
  });

/** A compaction that was asked for is done. */
const answeredRequest = ({ compactRequested, ...side }: SessionSide): { readonly side?: SessionSide } =>
  compactRequested === true ? { side } : {};

/** Runs the compaction call and journals its summary; false when it brought nothing and is ignored for this turn. */
export const createCompaction = (ports: CompactionPorts, quota: Quota): Step<CompactionRequest, boolean> => ({
  run: async (turn, { profile, plan }) => {
    const { models, faultPoint } = ports;
    const reservation = {
      metric: 'llm.requests',
      target: profile.target,
      call: `${turn.body.modelCalls + 1}/compaction`,
    } as const;
    const prompt = { messages: plan.messages, tools: [], maxOutputTokens: plan.maxOutputTokens };
    const granted = await quota.run(turn, { ...reservation, prompt });
    if (granted.kind === 'failed') return false;
    const { outputLimit } = granted;
    const request = {
      ...modelRequest(turn, profile, { messages: plan.messages, tools: [] }),
      maxOutputTokens: plan.maxOutputTokens,
      purpose: 'compaction' as const,
      ...(outputLimit === undefined ? {} : { outputLimit }),
    };
    const writer = silentWriter(turn, ports);
    const outcome = await runModelCall(request, { turn, writer, hideReasoning: true }, ports);
    if (outcome.kind === 'failed' && outcome.error.beforeFirstByte) await quota.giveBack(turn, reservation);
    if (outcome.kind !== 'finished') return false;
    let text = '';
    for (const part of writer.parts()) if (part.type === PART.TEXT) text += part.content ?? '';
    const { usage } = outcome;
    const summaryTokens = models.countTokens(profile.target, text);
    if (text.trim() === '' || summaryTokens >= plan.sourceTokens) return false;
    faultPoint('before-compaction-entry');
    await turn.commit(async (tx, state) => {
      const part = {
        id: partId(turn.nextIndex + state.foreign.length),
        type: PART.COMPACTION,
        content: text,
        payload: {
          through_message_id: plan.throughMessageId,
          summarised: plan.summarised,
          tokens_before: plan.sourceTokens,
          tokens_after: summaryTokens,
          keeps: plan.keeps,
        },
        createdAt: tx.now(),
      };
      await chargeUsage({ tx, usage: ports.usage }, turn, usage);
      return {
        entries: [{ kind: 'COMPACTION', value: { messageId: turn.messageId, part } }],
        body: { usage: addUsage(state.body.usage, usage) },
        ...answeredRequest(parseSide(state.session)),
      };
    });
    faultPoint('after-compaction-entry');
    return true;
  },
});
