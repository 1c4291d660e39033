import { assert, type Ids, type Log } from '../../base/index.ts';
import type { ClaimedTurn, RunningTurn, TurnClaim } from '../claim/index.ts';
import { isRecovered, type LiveTurn, noMeter, type RuntimeConfig, type TurnMeter } from '../contract.ts';
import { admittedAt, isStoreAway, LostClaim, type TurnErrorClass } from '../record/index.ts';
import { hasSteers, type LoopStep, type StepAnswer, type StepFailure, type StepResult } from '../steps/index.ts';
import { AttemptState, type StatePorts } from './attempt-state.ts';
import { type HandOverPorts, handOver } from './hand-over.ts';
import { type EndPorts, endTurn, type TurnEnd } from './turn-end.ts';

/** What an attempt uses apart from its steps. */
export interface AttemptPorts extends StatePorts, EndPorts, HandOverPorts {
  readonly store: StatePorts['store'] & Parameters<typeof hasSteers>[1]['store'];
  readonly models: StatePorts['models'] & EndPorts['models'];
  readonly bus: StatePorts['bus'] & EndPorts['bus'] & HandOverPorts['bus'];
  readonly clock: StatePorts['clock'];
  readonly config: StatePorts['config'] & Pick<RuntimeConfig, 'maxTurnTokens' | 'turnTimeoutMs'>;
  readonly ids: Ids;
  readonly log: Log;
  /** Absent: nothing is counted. */
  readonly meter?: TurnMeter;
}

/** How the worker's slot was left. */
export type Left = 'ended' | 'parked' | 'handed-over' | 'lost';

/** External agents may be active this many times as long as a turn of a model. */
const HARNESS_TIMES = 2;

type FailureFacts = Partial<Pick<StepFailure, 'metadata' | 'usage'>>;

/**
 * One claimed turn from its claim to its end, park or hand-over: asks what the turn needs next and does it, until nothing is
 * left. An exception in here ends this turn as FAILED `internal` and nothing else; a store that stays away leaves it as a
 * crash does, to the attempt after its claim ran out.
 */
export class Attempt implements RunningTurn {
  readonly #state: AttemptState;
  readonly #steps: readonly LoopStep[];
  readonly #ports: AttemptPorts;
  /** As of the claim; needed until the transcript is loaded. */
  #journal: ClaimedTurn['journal'];

  constructor(
    claimed: ClaimedTurn,
    sentMs: number,
    by: { readonly ports: AttemptPorts; readonly steps: readonly LoopStep[] },
  ) {
    this.#ports = by.ports;
    this.#steps = by.steps;
    this.#journal = claimed.journal;
    this.#state = new AttemptState(claimed, sentMs, by.ports);
  }

  get claim(): TurnClaim {
    return this.#state.claim;
  }

  get isHeld(): boolean {
    return this.#state.isHeld;
  }

  live(): LiveTurn {
    return this.#state.live();
  }

  requestStop(): void {
    this.#state.requestStop();
  }

  lose(): void {
    this.#state.lose();
  }

  noteSteer(): void {
    this.#state.noteSteers(true);
  }

  /** One of its permission requests was answered: followers see it now, the batch finds it when it gets there. */
  noteAnswer(): void {
    this.#state.refresh().catch((error: unknown) => {
      if (error instanceof LostClaim) return;
      this.#ports.log.warn('an answer could not be read', { turn: this.claim.turnId });
    });
  }

  drain(): void {
    this.#state.drain();
  }

  /** Runs to the end; never rejects. Answers how the worker's slot was left. */
  async run(): Promise<Left> {
    const state = this.#state;
    const cancelTimer = this.#armTimeout();
    let left: Left = 'lost';
    try {
      this.#noteBegin();
      state.showBegin();
      await state.load(this.#journal);
      this.#journal = [];
      left = await this.#loop();
      return left;
    } catch (error) {
      left = await this.#failInternally(error);
      return left;
    } finally {
      state.span.end(left);
      if (left === 'lost') (this.#ports.meter ?? noMeter).claimLost();
      cancelTimer();
      state.silence();
    }
  }

  #noteBegin(): void {
    const { row, body } = this.#state;
    const isFirst = body.spans.length === 1;
    const queuedMs = isFirst ? Math.max(0, body.startedAt - admittedAt(row, body)) / 1000 : undefined;
    (this.#ports.meter ?? noMeter).turnBegan({ queuedMs, recovered: isRecovered(body) });
  }

  #armTimeout(): () => void {
    const state = this.#state;
    const { config, clock } = this.#ports;
    const limitMs = config.turnTimeoutMs * (state.agent.spec.runtime?.kind === 'acp' ? HARNESS_TIMES : 1);
    const leftMs = (): number => Math.max(0, limitMs - state.activeMicros() / 1000);
    let cancel = (): void => undefined;
    const arm = (): void => {
      cancel = clock.after(Math.max(1, leftMs()), () => {
        // Time in which it waited for a person does not count.
        if (leftMs() >= 1) arm();
        else state.timeOut();
      });
    };
    arm();
    return () => cancel();
  }

  async #loop(): Promise<Left> {
    for (;;) {
      const early = this.#earlyEnd();
      if (early !== undefined) return this.#end(early);
      if (this.#state.isDraining) {
        if (await handOver(this.#state, this.#ports)) return 'handed-over';
        continue;
      }
      const left = await this.#conclude(await this.#nextStep());
      if (left !== undefined) return left;
    }
  }

  /** Runs the first step of the table that is due and finds something to do. */
  async #nextStep(): Promise<StepResult> {
    for (const step of this.#steps) {
      if (!step.isDue(this.#state)) continue;
      const result = await step.run(this.#state);
      if (result.kind !== 'next') return result;
    }
    assert(false, 'the last step of the table is always due');
  }

  /** What the outcome of a step means for the turn; undefined: the loop continues. */
  async #conclude(result: StepResult): Promise<Left | undefined> {
    switch (result.kind) {
      case 'parked':
        return 'parked';
      case 'failed':
        return this.#end(this.#failed(result.errorClass, result.sentence, result));
      case 'aborted':
        return this.#afterAbort();
      case 'answered':
        return this.#complete(result);
      default:
        return undefined;
    }
  }

  #earlyEnd(): TurnEnd | undefined {
    const { claim, isStopped, isTimedOut, body } = this.#state;
    if (claim.lost) throw new LostClaim(claim.turnId);
    if (isStopped) return { kind: 'stopped' };
    if (isTimedOut) return this.#failed('turn_timeout', 'The turn took longer than it may.');
    const limit = this.#ports.config.maxTurnTokens;
    if (limit > 0 && (body.usage?.totalTokens ?? 0) >= limit)
      return this.#failed('turn_tokens', `The turn used its ${limit} tokens.`);
    return undefined;
  }

  /** No calls: the final transaction, unless steer entries ask for one more model call. */
  async #complete(end: StepAnswer): Promise<'ended' | undefined> {
    const state = this.#state;
    if (end.maySteer && state.steerPending && (await hasSteers(state, this.#ports))) {
      await end.record();
      return undefined;
    }
    if ((await endTurn(state, end, this.#ports)) === 'ended') return 'ended';
    state.noteSteers(true);
    await end.record();
    return undefined;
  }

  /** Stop and time-out are ends; otherwise the claim is lost or the drain is over. */
  #afterAbort(): Promise<'ended'> {
    const end = this.#earlyEnd();
    if (end === undefined) throw new LostClaim(this.claim.turnId);
    return this.#end(end);
  }

  #failed(
    errorClass: TurnErrorClass,
    sentence: string,
    facts: FailureFacts = {},
  ): Extract<TurnEnd, { kind: 'failed' }> {
    const { metadata, usage } = facts;
    const errorId = this.#ports.ids.next();
    const { namespace, agent, sessionId, id } = this.#state.row;
    this.#ports.log.warn('turn failed', {
      error_id: errorId,
      namespace,
      agent,
      session: sessionId,
      turn: id,
      class: errorClass,
    });
    return {
      kind: 'failed',
      error: { errorClass, sentence, errorId, ...(metadata === undefined ? {} : { metadata }) },
      usage,
    };
  }

  async #end(end: TurnEnd): Promise<'ended'> {
    await endTurn(this.#state, end, this.#ports);
    return 'ended';
  }

  async #failInternally(error: unknown): Promise<'ended' | 'lost'> {
    const { log } = this.#ports;
    const { namespace, agent, sessionId, id } = this.#state.row;
    const names = { namespace, agent, session: sessionId, turn: id };
    if (error instanceof LostClaim) {
      this.lose();
      return 'lost';
    }
    if (isStoreAway(error)) {
      const { reason } = error;
      log.warn('turn left to another attempt: the store stays away', { ...names, reason });
      this.lose();
      return 'lost';
    }
    log.error('turn code threw', names, error);
    try {
      return await this.#end(this.#failed('internal', 'Something went wrong inside the server.'));
    } catch (second) {
      if (!(second instanceof LostClaim)) log.error('turn could not be ended', names, second);
      this.lose();
      return 'lost';
    }
  }
}
