import type { ModelRegistry } from '../../models/contract.ts';
import { type KeptCall, PART, type Part, type SessionSide, type TurnUsage } from '../contract.ts';
import {
  addUsage,
  type CompactionEntry,
  EventSequencer,
  parseSide,
  partId,
  type ResolvedProfile,
  UNUSED_SUMMARY,
} from '../record/index.ts';
import type { KeepSources } from '../session/index.ts';
import { PartWriter, type WriterPorts } from './answer/index.ts';
import type { FaultPort, Step, StepTurn } from './contract.ts';
import { type CallPorts, modelRequest, type PlannedSummary, runModelCall, SentCall } from './model-call/index.ts';
import { chargeUsage, type Quota, type QuotaPorts } from './quota-step.ts';

/** What a compaction uses. */
export interface CompactionPorts extends CallPorts, Omit<WriterPorts, 'bus'>, QuotaPorts, FaultPort {
  readonly models: Pick<ModelRegistry, 'stream' | 'countTokens' | 'facts'>;
  readonly keepSources: KeepSources;
}

/** The summary that a prompt plan asks for before its call. */
export interface CompactionRequest {
  readonly profile: ResolvedProfile;
  readonly plan: PlannedSummary;
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

/** A compaction that was asked for is done, also where its summary saves nothing. */
const answeredRequest = ({ compactRequested, ...side }: SessionSide): { readonly side?: SessionSide } =>
  compactRequested === true ? { side } : {};

/** What a compaction call brought. */
interface Summary {
  readonly text: string;
  readonly tokens: number;
  readonly usage: TurnUsage;
  readonly asked: KeptCall | undefined;
}

class Compaction implements Step<CompactionRequest, boolean> {
  readonly #ports: CompactionPorts;
  readonly #quota: Quota;
  /** Turns whose model wrote a summary that saves nothing: it would write another one at every call. */
  readonly #ignoring = new WeakSet<StepTurn>();

  constructor(ports: CompactionPorts, quota: Quota) {
    this.#ports = ports;
    this.#quota = quota;
  }

  async run(turn: StepTurn, request: CompactionRequest): Promise<boolean> {
    if (this.#ignoring.has(turn)) return false;
    const summary = await this.#summarise(turn, request);
    if (summary === undefined) return false;
    const isUseful = summary.text.trim() !== '' && summary.tokens < request.plan.sourceTokens;
    if (!isUseful) this.#ignoring.add(turn);
    await this.#record(turn, summary, isUseful ? request.plan : undefined);
    return isUseful;
  }

  /** Undefined where a quota, the provider or a stop is in the way. */
  async #summarise(turn: StepTurn, { profile, plan }: CompactionRequest): Promise<Summary | undefined> {
    const ports = this.#ports;
    const reservation = {
      metric: 'llm.requests',
      target: profile.target,
      call: `${turn.body.modelCalls + 1}/compaction`,
    } as const;
    const { messages, tools, fit } = plan;
    const { maxOutputTokens } = fit;
    const prompt = { messages, tools: [], maxOutputTokens };
    const granted = await this.#quota.run(turn, { ...reservation, prompt });
    if (granted.kind === 'failed') return undefined;
    const { outputLimit } = granted;
    const request = {
      ...modelRequest(turn, profile, { messages, tools: [] }),
      maxOutputTokens,
      purpose: 'compaction' as const,
      ...(outputLimit === undefined ? {} : { outputLimit }),
    };
    const writer = silentWriter(turn, ports);
    const { inputs } = ports.models.facts(profile.target);
    const step = turn.body.modelCalls + 1;
    const asked = { plan: { request: plan.request, tools }, profile, inputs, outputLimit, step, summary: fit };
    const call = new SentCall(turn, asked, ports.clock);
    const outcome = await runModelCall(request, { turn, writer, call, hideReasoning: true }, ports);
    if (outcome.kind === 'failed' && outcome.error.beforeFirstByte) await this.#quota.giveBack(turn, reservation);
    if (outcome.kind !== 'finished') return undefined;
    let text = '';
    for (const part of writer.parts()) if (part.type === PART.TEXT) text += part.content ?? '';
    const tokens = ports.models.countTokens(profile.target, text);
    return { text, tokens, usage: outcome.usage, asked: call.kept() };
  }

  /** The call and its charge, which is due whatever the summary is worth; with a plan the part that puts the summary in place of its messages. */
  async #record(turn: StepTurn, summary: Summary, plan: CompactionRequest['plan'] | undefined): Promise<void> {
    const { usage, keepSources, faultPoint } = this.#ports;
    const { asked } = summary;
    faultPoint('before-compaction-entry');
    await turn.commit(async (tx, state) => {
      await chargeUsage({ tx, usage }, turn, summary.usage);
      const id = partId(turn.nextIndex + state.foreign.length);
      const part = plan === undefined ? undefined : { ...compactionPart(plan, summary), id, createdAt: tx.now() };
      await keepSources(tx, turn.agent, asked?.sources ?? []);
      const value: CompactionEntry = {
        messageId: turn.messageId,
        ...(part === undefined ? { parts: [] } : { part }),
        usage: summary.usage,
        ...(asked === undefined ? {} : { request: asked.record }),
      };
      const { usage: before, summaries = [] } = state.body;
      return {
        entries: [{ kind: part === undefined ? UNUSED_SUMMARY : 'COMPACTION', value }],
        body: {
          usage: addUsage(before, summary.usage),
          summaries: summaries.concat(turn.body.modelCalls + 1),
        },
        ...answeredRequest(parseSide(state.session)),
      };
    });
    faultPoint('after-compaction-entry');
  }
}

const compactionPart = (plan: CompactionRequest['plan'], summary: Summary): Omit<Part, 'id' | 'createdAt'> => ({
  type: PART.COMPACTION,
  content: summary.text,
  payload: {
    through_message_id: plan.throughMessageId,
    summarised: plan.summarised,
    tokens_before: plan.sourceTokens,
    tokens_after: summary.tokens,
    keeps: plan.keeps,
  },
});

/** Runs the compaction call and journals its summary; false when it brought nothing and is ignored for this turn. */
export const createCompaction = (ports: CompactionPorts, quota: Quota): Step<CompactionRequest, boolean> =>
  new Compaction(ports, quota);
