import { assert } from '../../base/index.ts';
import type { ModelRegistry } from '../../models/contract.ts';
import type { OfferedTool } from '../../tools/contract.ts';
import { noMeter, type RuntimeConfig } from '../contract.ts';
import { mayFailOver, type ResolvedProfile } from '../record/index.ts';
import type { CallOutcome, ModelAnswer } from './answer/index.ts';
import type { CompactionRequest } from './compaction-step.ts';
import type { FaultPort, Step, StepFailure, StepResult, StepTurn } from './contract.ts';
import {
  type CallPorts,
  modelRequest,
  type PlannedCall,
  type PromptPorts,
  planPrompt,
  runModelCall,
  SentCall,
} from './model-call/index.ts';
import type { Quota } from './quota-step.ts';

/** What the tries of one model call use. */
export interface TryPorts extends CallPorts, PromptPorts, FaultPort {
  readonly models: Pick<ModelRegistry, 'stream' | 'facts'>;
  readonly config: Pick<RuntimeConfig, 'streamRestart'>;
}

/** Steps inside a model call. */
export interface TrySteps {
  readonly quota: Quota;
  readonly compaction: Step<CompactionRequest, boolean>;
}

/** How the tries of one model call ended; the text of an answer is in the turn's writer. */
export type TriesEnd =
  | { readonly kind: 'answered'; readonly answer: ModelAnswer }
  | StepFailure
  | { readonly kind: 'aborted' }
  /** A quota is used up: the turn waits for a person, or looks once more. */
  | { readonly kind: 'parked' | 'again' };

type FailedOutcome = Extract<CallOutcome, { kind: 'failed' }>;

const OVERFLOW: StepFailure = {
  kind: 'failed',
  errorClass: 'context_overflow',
  sentence: 'The conversation does not fit the model any more.',
  usage: undefined,
};

const failure = (outcome: FailedOutcome): StepFailure => ({
  kind: 'failed',
  errorClass: outcome.error.errorClass,
  sentence: outcome.error.sentence,
  usage: outcome.usage,
});

/** A refusal ends the tries as it ends the step. */
const refusedEnd = (result: StepResult): TriesEnd => {
  assert(result.kind !== 'answered' && result.kind !== 'next', 'a refused call has no answer');
  return result.kind === 'failed' ? result : { kind: result.kind };
};

/** One model call of a turn with all its tries: compaction, a smaller window, restarts, other profiles. */
export class ModelTries {
  readonly #turn: StepTurn;
  readonly #call: { readonly offered: readonly OfferedTool[]; readonly number: number };
  readonly #ports: TryPorts;
  readonly #steps: TrySteps;
  /** Halved after an overflow answer. */
  #windowFactor = 1;
  /** Once compaction failed or was ignored in this turn. */
  #skipCompaction: boolean;
  #restarts = 0;

  constructor(
    turn: StepTurn,
    call: { readonly offered: readonly OfferedTool[]; readonly number: number },
    by: { readonly ports: TryPorts; readonly steps: TrySteps },
  ) {
    this.#turn = turn;
    this.#call = call;
    this.#ports = by.ports;
    this.#steps = by.steps;
    this.#skipCompaction = !turn.knobs.compaction;
  }

  /** Asks the profiles of the turn one after the other. */
  async run(): Promise<TriesEnd> {
    const { profiles } = this.#turn;
    let last: FailedOutcome | undefined;
    for (const profile of profiles) {
      const end = await this.#try(profile);
      if (end.kind !== 'next') return end;
      last = end.outcome;
      if (profile !== profiles.at(-1)) (this.#ports.meter ?? noMeter).failedOver(profile.target, last.error.errorClass);
    }
    return last === undefined ? OVERFLOW : failure(last);
  }

  /** Calls one profile's model until it answers, fails for good, or another profile should be tried. */
  async #try(profile: ResolvedProfile): Promise<TriesEnd | { readonly kind: 'next'; readonly outcome: FailedOutcome }> {
    const turn = this.#turn;
    const ports = this.#ports;
    const { quota } = this.#steps;
    const reservation = { metric: 'llm.requests', target: profile.target, call: this.#call.number } as const;
    for (;;) {
      const plan = await this.#plan(profile);
      if (plan === undefined) return OVERFLOW;
      const granted = await quota.run(turn, { ...reservation, prompt: plan });
      if (granted.kind === 'failed') return refusedEnd(await quota.refused(turn, granted));
      const { outputLimit } = granted;
      const writer = turn.beginAnswer();
      const { inputs } = ports.models.facts(profile.target);
      const call = new SentCall(turn, { plan, profile, inputs, outputLimit, step: this.#call.number }, ports.clock);
      writer.call = call;
      const io = { turn, writer, call, hideReasoning: turn.knobs.hideReasoning };
      ports.faultPoint('before-model-call');
      const request = modelRequest(turn, profile, plan);
      const outcome = await runModelCall(outputLimit === undefined ? request : { ...request, outputLimit }, io, ports);
      ports.faultPoint('after-model-call');
      if (outcome.kind === 'aborted') return outcome;
      if (outcome.kind === 'finished')
        return { kind: 'answered', answer: { outcome, countedTokens: plan.countedTokens, profile } };
      if (outcome.error.beforeFirstByte) await quota.giveBack(turn, reservation);
      const next = await this.#afterFailure(outcome);
      if (next === 'fail') return failure(outcome);
      if (next === 'next') return { kind: 'next', outcome };
    }
  }

  async #plan(profile: ResolvedProfile): Promise<PlannedCall | undefined> {
    for (;;) {
      const plan = await planPrompt(this.#turn, profile, {
        offered: this.#call.offered,
        windowFactor: this.#windowFactor,
        skipCompaction: this.#skipCompaction,
        ports: this.#ports,
      });
      if (plan.kind === 'call') return plan;
      if (plan.kind === 'overflow') return undefined;
      if (!(await this.#steps.compaction.run(this.#turn, { profile, plan }))) this.#skipCompaction = true;
    }
  }

  /** What to do after a failed try: again, with another profile, or give up. */
  async #afterFailure({ error }: FailedOutcome): Promise<'again' | 'next' | 'fail'> {
    if (error.errorClass === 'context_overflow' && this.#windowFactor === 1 && error.beforeFirstToken) {
      this.#windowFactor = 0.5;
      return 'again';
    }
    if (error.beforeFirstToken) return mayFailOver(error.errorClass, error.httpStatus) ? 'next' : 'fail';
    const isTransportLoss = error.errorClass === 'provider_stream' || error.errorClass === 'provider_unavailable';
    if (!isTransportLoss || this.#restarts >= this.#ports.config.streamRestart) return 'fail';
    this.#restarts += 1;
    await this.#turn.restart();
    return 'again';
  }
}
