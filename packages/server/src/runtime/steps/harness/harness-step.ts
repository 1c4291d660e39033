import type { AcpRuntime } from '@svc/api/resources';
import type { ModelRegistry, ModelTarget } from '../../../models/contract.ts';
import type {
  HarnessEnd,
  Harnesses,
  HarnessListener,
  HarnessSession,
  Part,
  TracedOutcome,
  TurnMeter,
  TurnUsage,
} from '../../contract.ts';
import { noMeter, PART } from '../../contract.ts';
import { harnessPrompt } from '../../prompt/index.ts';
import { parseSide, type TurnErrorClass } from '../../record/index.ts';
import { ABORTED, AGAIN, type LoopStep, type StepFailure, type StepResult, type StepTurn } from '../contract.ts';
import { type PlannedPrompt, type PromptPorts, planPrompt, SentCall } from '../model-call/index.ts';
import type { Permission } from '../permission-step.ts';
import type { Quota, QuotaRefusal } from '../quota-step.ts';
import { HarnessQuestions, type QuestionPorts } from './harness-questions.ts';
import { HarnessRecorder, type RecorderPorts, TooMuchText } from './harness-recorder.ts';
import { type HarnessToolPorts, HarnessTools } from './harness-tools.ts';

/** What harness steps use. */
export interface HarnessPorts
  extends RecorderPorts,
    Omit<QuestionPorts, 'config'>,
    PromptPorts,
    Omit<HarnessToolPorts, 'config'> {
  readonly config: QuestionPorts['config'] & HarnessToolPorts['config'];
  readonly models: Pick<ModelRegistry, 'countTokens' | 'facts'>;
  /** Absent: there are no harnesses, and no agent that needs one is ready. */
  readonly harnesses?: Harnesses;
  /** Absent: nothing is counted. */
  readonly meter?: TurnMeter;
}

/** Steps inside a harness step. */
export interface HarnessSteps {
  readonly quota: Quota;
  readonly permission: Pick<Permission, 'remembered'>;
}

/** A prompt that was lost is repeated this often, and only while no tool of the harness was seen. */
const PROMPTS_MAX = 2;

const failed = (errorClass: TurnErrorClass, sentence: string): StepFailure => ({
  kind: 'failed',
  errorClass,
  sentence,
  usage: undefined,
});

const runtimeOf = ({ agent }: Pick<StepTurn, 'agent'>): AcpRuntime | undefined => {
  const { runtime } = agent.spec;
  return runtime?.kind === 'acp' ? runtime.acp : undefined;
};

/** What policies and prices know a harness by. */
const targetOf = ({ harnessRef, command }: AcpRuntime): ModelTarget => ({
  provider: 'acp',
  model: harnessRef === '' ? command : harnessRef,
});

/** Something of the harness is recorded that may have had an effect: doing it again could have it twice. */
const hasActed = ({ recorded }: StepTurn): boolean =>
  recorded.some(({ part }) => part.type === PART.TOOL_CALL || part.type === PART.REQUEST_PERMISSION);

const LOST = 'The external agent was lost before it finished, and what it did is not repeated.';

/** One prompt of a turn in its harness. */
class HarnessRun {
  readonly #turn: StepTurn;
  readonly #runtime: AcpRuntime;
  readonly #ports: HarnessPorts;
  readonly #quota: Quota;
  readonly #recorder: HarnessRecorder;
  readonly #questions: HarnessQuestions;
  readonly #tools: HarnessTools;
  #refused: QuotaRefusal | undefined;
  /** Once the harness is prompted. */
  #asked: SentCall | undefined;

  constructor(turn: StepTurn, runtime: AcpRuntime, by: { readonly ports: HarnessPorts } & HarnessSteps) {
    this.#turn = turn;
    this.#runtime = runtime;
    this.#ports = by.ports;
    this.#quota = by.quota;
    this.#recorder = new HarnessRecorder(turn, by.ports);
    this.#questions = new HarnessQuestions(turn, this.#recorder, by.ports);
    this.#tools = new HarnessTools(turn, {
      ...by,
      recorder: this.#recorder,
      questions: this.#questions,
      reserve: (callId) => this.#reserve(callId),
    });
  }

  async run(harnesses: Harnesses): Promise<StepResult> {
    const turn = this.#turn;
    const isRepeated = (turn.body.harnessPrompts ?? 0) > 0;
    if (isRepeated && (hasActed(turn) || (turn.body.harnessPrompts ?? 0) >= PROMPTS_MAX))
      return failed('harness_lost', LOST);
    const granted = await this.#quota.run(turn, {
      metric: 'llm.requests',
      target: targetOf(this.#runtime),
      call: (turn.body.harnessPrompts ?? 0) + 1,
      prompt: { messages: [], tools: [] },
    });
    if (granted.kind === 'failed') return this.#quota.refused(turn, granted);
    const { row, session, agent } = turn;
    const { namespace, agent: name, sessionId, id: turnId } = row;
    const savedSessionId = this.#runtime.persistSession ? parseSide(session).acpSessionId : '';
    const names = { namespace, agent: name, agentUid: agent.uid, sessionId, turnId };
    this.#ports.faultPoint('before-harness');
    const request = { ...names, runtime: this.#runtime, savedSessionId, signal: turn.signal };
    const end = await this.#traced((sink) =>
      harnesses.run(request, sink).catch((error: unknown): HarnessEnd => {
        if (!(error instanceof TooMuchText)) throw error;
        return { kind: 'failed', errorClass: 'harness_lost', sentence: error.message };
      }),
    );
    this.#ports.faultPoint('after-harness');
    return this.#conclude(end);
  }

  /** Traces and measures one prompt, from the moment it is sent. */
  async #traced(run: (sink: HarnessListener) => Promise<HarnessEnd>): Promise<HarnessEnd> {
    const { clock, meter = noMeter } = this.#ports;
    const turn = this.#turn;
    const target = targetOf(this.#runtime);
    const span = turn.span.harnessPrompt(target);
    let startedMs = clock.monotonicMs();
    let firstMs: number | undefined;
    let outcome: TracedOutcome = THREW;
    const sink = this.#sink();
    try {
      const end = await run({
        ...sink,
        opened: async (session) => {
          const prompt = await sink.opened(session);
          span.prompted(prompt);
          startedMs = clock.monotonicMs();
          return prompt;
        },
        text: (kind, piece) => {
          firstMs ??= clock.monotonicMs();
          return sink.text(kind, piece);
        },
      });
      outcome = turn.signal.aborted ? { kind: 'aborted' } : outcomeOf(end, target);
      return end;
    } finally {
      span.end(outcome, { parts: () => turn.recorded.map(({ part }) => part).filter(isShown) });
      const durationMs = clock.monotonicMs() - startedMs;
      const firstChunkMs = firstMs === undefined ? undefined : firstMs - startedMs;
      this.#asked?.noteTimes(durationMs, firstChunkMs);
      if (turn.writer !== undefined) turn.writer.call = this.#asked;
      meter.modelCalled({ target, purpose: 'invoke_agent', durationMs, firstChunkMs, outcome });
    }
  }

  #sink(): HarnessListener {
    const recorder = this.#recorder;
    return {
      opened: (session) => this.#opened(session),
      text: (kind, piece) => recorder.text(kind, piece),
      callBegan: (call) => this.#callBegan(call),
      callEnded: (call) => recorder.callEnded(call),
      ask: (question) => this.#questions.ask(question),
      tools: async () =>
        (await this.#tools.offered()).map(({ tool: { name, description, inputSchema, effect } }) => ({
          name,
          description,
          inputSchema,
          isReadOnly: effect === 'read',
        })),
      callTool: (call) => this.#tools.call(call),
    };
  }

  async #opened(session: HarnessSession): Promise<string> {
    const turn = this.#turn;
    const [profile] = turn.profiles;
    const call = { offered: [], windowFactor: 1, skipCompaction: true, ports: this.#ports };
    const plan = session.isLoaded ? undefined : await planPrompt(turn, profile, call);
    const { text } = harnessPrompt({
      planned: plan === undefined ? undefined : plan.kind === 'call' ? plan.messages : [],
      transcript: turn.messages(),
      turnId: turn.row.id,
      isReset: session.isReset,
      countTokens: (counted) => this.#ports.models.countTokens(profile.target, counted),
    });
    this.#asked = this.#askedWith(session, plan);
    this.#asked.onSent(text);
    await this.#recorder.begin(session, this.#asked.kept());
    this.#ports.faultPoint('before-harness-prompt');
    return text;
  }

  #askedWith({ isLoaded, isReset }: HarnessSession, plan: PlannedPrompt | undefined): SentCall {
    const turn = this.#turn;
    const { models, clock } = this.#ports;
    const [profile] = turn.profiles;
    const { agent, session, namespaceLabels } = turn;
    return new SentCall(
      turn,
      {
        plan: {
          request: plan?.request ?? { agent, namespaceLabels, session },
          tools: [],
          ...(plan?.kind === 'call' && plan.fitTo !== undefined ? { fitTo: plan.fitTo } : {}),
        },
        profile: { name: profile.name, target: profile.target },
        inputs: models.facts(profile.target).inputs,
        outputLimit: undefined,
        step: (turn.body.harnessPrompts ?? 0) + 1,
        harness: {
          target: targetOf(this.#runtime),
          isLoaded,
          isReset,
          isBare: plan !== undefined && plan.kind !== 'call',
        },
      },
      clock,
    );
  }

  async #callBegan(call: Parameters<HarnessListener['callBegan']>[0]): Promise<boolean> {
    if (!(await this.#reserve(this.#recorder.idOf(call.callId)))) return false;
    await this.#recorder.callBegan(call);
    return true;
  }

  async #reserve(callId: string): Promise<boolean> {
    const granted = await this.#quota.run(this.#turn, { metric: 'tool.calls', callId });
    if (granted.kind === 'failed') this.#refused = granted;
    return granted.kind === 'granted';
  }

  async #conclude(end: HarnessEnd): Promise<StepResult> {
    const turn = this.#turn;
    if (this.#refused !== undefined) {
      const { budget: _unused, ...refusal } = this.#refused;
      return refusal;
    }
    if (turn.signal.aborted) return ABORTED;
    if (end.kind === 'failed') return failed(end.errorClass, end.sentence);
    if (end.kind === 'lost') {
      if ((turn.body.harnessPrompts ?? 0) === 0) return failed('harness_lost', end.sentence);
      if (hasActed(turn) || (turn.body.harnessPrompts ?? 0) >= PROMPTS_MAX) return failed('harness_lost', end.sentence);
      await turn.restart();
      return AGAIN;
    }
    const { provider, model } = targetOf(this.#runtime);
    const finish = FINISH[end.reason];
    const usage = turnUsage(end.usage, { provider, model });
    const profile = { name: '', target: { provider, model } };
    const answer = { outcome: { kind: 'finished', finish, usage, calls: [] }, countedTokens: 0, profile } as const;
    // Messages that steer are queued behind a turn of a harness, so that this answer is never a step before another one.
    return { kind: 'answered', answer, maySteer: false, record: async () => undefined };
  }
}

/** What a prompt that threw inside this process is traced as. */
const THREW: TracedOutcome = { kind: 'failed', error: { errorClass: 'internal' }, usage: undefined };

const outcomeOf = (end: HarnessEnd, target: ModelTarget): TracedOutcome => {
  if (end.kind === 'ended')
    return { kind: 'finished', finish: FINISH[end.reason], usage: turnUsage(end.usage, target) };
  const errorClass = end.kind === 'failed' ? end.errorClass : 'harness_lost';
  return { kind: 'failed', error: { errorClass }, usage: undefined };
};

/** What of a turn a harness said. */
const isShown = ({ type }: Part): boolean => type === PART.TEXT || type === PART.REASONING;

const FINISH = { stop: 'stop', cancelled: 'stop', length: 'length', refused: 'content_filter' } as const;

const turnUsage = (
  usage: Extract<HarnessEnd, { kind: 'ended' }>['usage'],
  target: Pick<TurnUsage, 'provider' | 'model'>,
): TurnUsage => ({
  inputTokens: usage?.inputTokens ?? 0,
  cachedInputTokens: usage?.cachedTokens ?? 0,
  cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
  reasoningTokens: usage?.reasoningTokens ?? 0,
  totalTokens: usage?.totalTokens ?? 0,
  usageAvailable: usage !== undefined,
  ...target,
});

/** Turns of agents whose runtime is a harness: nothing else of the table is ever due for them. */
export const createHarnessStep = (ports: HarnessPorts, steps: HarnessSteps): LoopStep => ({
  kind: 'harness',
  isDue: (turn) => runtimeOf(turn) !== undefined,
  run: async (turn) => {
    const runtime = runtimeOf(turn);
    const { harnesses } = ports;
    if (runtime === undefined || harnesses === undefined)
      return failed('agent_not_ready', 'This server runs no external agents.');
    return new HarnessRun(turn, runtime, { ports, ...steps }).run(harnesses);
  },
});
