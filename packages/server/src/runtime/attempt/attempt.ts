import type { Clock } from '../../base/index.ts';
import type { OfferedTool } from '../../tools/contract.ts';
import { type ClaimedTurn, TurnClaim } from '../claim/turn-claim.ts';
import { isRecovered, type LiveTurn, noMeter, noTracer, PART, type Part, WAKE_TURNS } from '../contract.ts';
import { EventSequencer } from '../record/event-sequencer.ts';
import { LostClaim } from '../record/index.ts';
import { knobsOf, profilesInOrder } from '../record/profile-rules.ts';
import type { TurnErrorClass } from '../record/turn-error.ts';
import { isStoreAway } from '../record/turn-faults.ts';
import { admittedAt, parseSide } from '../record/turn-record.ts';
import type { RuntimeDeps } from '../runtime-deps.ts';
import { holdObjects, releasePendingStops } from '../session/turn-finish.ts';
import { publishAfterCommit } from '../session/turn-stop.ts';
import { usagePart } from '../steps/model-call/index.ts';
import { callInput, toolCallId } from '../steps/tool-batch/index.ts';
import { grantsOf } from '../steps/agent-grants.ts';
import { noteRecorded, showPart, showReset, type TurnContext } from './attempt-state.ts';
import { addUsage, endTurn, type TurnEnd } from './turn-end.ts';
import { callModel, chargeUsage, type ModelCallEnd, sideAfterCall } from '../steps/model-step.ts';
import { absorbSteers, hasSteers } from '../steps/steering-step.ts';
import { hasOpenCalls, TurnTools } from '../steps/tool-step.ts';
import { TurnTranscript } from './turn-transcript.ts';

type Answered = Extract<ModelCallEnd, { kind: 'answered' }>;

/**
 * One claimed turn from its claim to its end, park or hand-over. It holds all memory of the turn; when it is
 * gone, the store alone can continue. An exception in here ends this turn as FAILED `internal` and nothing else; a
 * store that stays away leaves it as a crash does, to the attempt after its claim ran out.
 */
export class TurnRun {
  readonly claim: TurnClaim;
  readonly #claimed: ClaimedTurn;
  readonly #deps: RuntimeDeps;
  readonly #abort = new AbortController();
  readonly #context: TurnContext;
  readonly #startedMs: number;
  #stop: boolean;
  #draining = false;
  #timedOut = false;
  #steerPending: boolean;

  constructor(claimed: ClaimedTurn, sentMs: number, deps: RuntimeDeps) {
    const { turn, body, agent, journal } = claimed;
    this.#claimed = claimed;
    this.#deps = deps;
    this.#stop = turn.stopRequested;
    this.#steerPending = body.spans.length > 1;
    this.#startedMs = deps.clock.monotonicMs();
    this.claim = new TurnClaim(claimed, sentMs, deps);
    this.#context = {
      claimed,
      claim: this.claim,
      transcript: new TurnTranscript(turn.id, journal),
      profiles: profilesInOrder(agent.spec, body.snapshot?.profile ?? '', deps.models.defaultTarget),
      knobs: knobsOf(agent.spec, deps.config),
      deps,
      signal: this.#abort.signal,
      span: (deps.tracer ?? noTracer).attempt(turn, body.cause, turn.attempt),
      sequencer: new EventSequencer(turn, turn.fence, { attempt: turn.attempt }),
      writer: undefined,
      shown: [],
      messageId: body.replyMessageIds.at(-1) ?? '',
      namespaceLabels: claimed.namespaceLabels,
      activeMicros: () => body.activeMicros + Math.round((deps.clock.monotonicMs() - this.#startedMs) * 1000),
    };
  }

  /** What followers of this session see at this moment. */
  live(): LiveTurn {
    const { claim, writer, shown, sequencer, messageId } = this.#context;
    const parts = writer === undefined ? shown : [...shown, ...writer.shown()];
    return {
      turnId: claim.turnId,
      sessionId: claim.sessionId,
      attempt: sequencer.attempt,
      fence: sequencer.fence,
      spans: claim.body.spans,
      parts,
      sequence: sequencer.sequence,
      messageId,
    };
  }

  /** Cancels whatever runs; the turn ends STOPPED. */
  requestStop(): void {
    this.#stop = true;
    this.#abort.abort();
  }

  /** The claim is gone: cancel, write and emit nothing. */
  lose(): void {
    this.claim.lose();
    this.#context.writer?.silence();
    this.#abort.abort();
  }

  noteSteer(): void {
    this.#steerPending = true;
  }

  /** One of its permission requests was answered: followers see it now, the batch finds it when it gets there. */
  noteAnswer(): void {
    this.claim
      .refresh((news) => noteRecorded(this.#context, news))
      .catch((error: unknown) => {
        if (error instanceof LostClaim) return;
        this.#deps.log.warn('an answer could not be read', { turn: this.claim.turnId });
      });
  }

  /** Hands over at the next journal entry. */
  drain(): void {
    this.#draining = true;
  }

  /** Runs to the end; never rejects. Answers how the worker's slot was left. */
  async run(): Promise<'ended' | 'parked' | 'handed-over' | 'lost'> {
    const cancelTimer = this.#armTimeout(this.#deps.clock);
    let left: 'ended' | 'parked' | 'handed-over' | 'lost' = 'lost';
    try {
      this.#noteBegin();
      await this.#begin();
      left = await this.#loop();
      return left;
    } catch (error) {
      left = await this.#failInternally(error);
      return left;
    } finally {
      this.#context.span.end(left);
      if (left === 'lost') (this.#deps.meter ?? noMeter).claimLost();
      cancelTimer();
      this.#context.writer?.silence();
    }
  }

  #noteBegin(): void {
    const { turn, body } = this.#claimed;
    const isFirst = body.spans.length === 1;
    const queuedMs = isFirst ? Math.max(0, body.startedAt - admittedAt(turn, body)) / 1000 : undefined;
    (this.#deps.meter ?? noMeter).turnBegan({ queuedMs, recovered: isRecovered(body) });
  }

  #armTimeout(clock: Clock): () => void {
    const leftMs = this.#deps.config.turnTimeoutMs - this.#claimed.body.activeMicros / 1000;
    return clock.after(Math.max(0, leftMs), () => {
      this.#timedOut = true;
      this.#abort.abort();
    });
  }

  /** Shows what followers lack: RESET and the recorded parts, or what others recorded while the turn was parked. */
  async #begin(): Promise<void> {
    const { claim, transcript } = this.#context;
    const span = claim.body.spans.at(-1);
    if (span?.reset === true) showReset(this.#context, span.reason ?? 'recovered');
    else {
      const sent = transcript.recorded.slice(0, span?.firstPart ?? 0);
      this.#context.shown.push(...sent);
      for (const placed of transcript.recorded.slice(sent.length)) showPart(this.#context, placed);
    }
    const [profile] = this.#context.profiles;
    const tokenLimit = this.#deps.models.facts(profile.target).window;
    const countTokens = (text: string): number => this.#deps.models.countTokens(profile.target, text);
    await claim.patiently(() => transcript.load(this.#claimed, { tokenLimit, countTokens }, this.#deps));
  }

  async #loop(): Promise<'ended' | 'parked' | 'handed-over'> {
    for (;;) {
      const early = this.#earlyEnd();
      if (early !== undefined) return this.#end(early);
      if (this.#draining) {
        if (await this.#handOver()) return 'handed-over';
        continue;
      }
      const offered = this.#offered();
      if (hasOpenCalls(this.#context.transcript.recorded)) {
        const tools = await new TurnTools(
          this.#context,
          offered,
          () => this.#isStopped || this.#timedOut || this.#draining || this.claim.lost,
        ).run();
        if (tools.kind === 'parked') return 'parked';
        if (tools.kind === 'quota') return this.#end(this.#failed('quota_exceeded', tools.sentence, tools));
        continue;
      }
      await this.#absorb();
      if (this.#isStopped) continue;
      const ended = await this.#step(offered);
      if (ended !== undefined) return ended;
    }
  }

  #earlyEnd(): TurnEnd | undefined {
    if (this.claim.lost) throw new LostClaim(this.claim.turnId);
    if (this.#isStopped) return { kind: 'stopped' };
    if (this.#timedOut) return this.#failed('turn_timeout', 'The turn took longer than it may.');
    const limit = this.#deps.config.maxTurnTokens;
    if (limit > 0 && (this.claim.body.usage?.totalTokens ?? 0) >= limit)
      return this.#failed('turn_tokens', `The turn used its ${limit} tokens.`);
    return undefined;
  }

  /** Told directly, by renewal, or found in a transaction of the turn. */
  get #isStopped(): boolean {
    return this.#stop || this.claim.stopSeen;
  }

  /** Asks the store even without a notification once the turn did something: notifications may be lost. */
  async #absorb(): Promise<void> {
    if (!this.#steerPending && this.claim.body.journalCount === 0) return;
    this.#steerPending = false;
    const isMoreWaiting = await absorbSteers(this.#context);
    this.#steerPending ||= isMoreWaiting;
  }

  /** The last allowed model call offers no tools. */
  #offered(): readonly OfferedTool[] {
    return this.#deps.tools.offered(grantsOf(this.#claimed.agent));
  }

  async #step(offered: readonly OfferedTool[]): Promise<'ended' | undefined> {
    const step = this.claim.body.modelCalls + 1;
    const isLast = step >= this.#context.knobs.maxSteps;
    const call = await callModel(this.#context, isLast ? [] : offered, step);
    if (call.kind === 'aborted') return this.#afterAbort();
    if (call.kind === 'failed') return this.#end(this.#failed(call.errorClass, call.sentence, call));
    if (call.outcome.calls.length === 0) return this.#complete(call, step);
    if (isLast)
      return this.#end({
        ...this.#failed('step_limit', `The model asked for more tools after ${step} calls.`),
        usage: call.outcome.usage,
      });
    return this.#journalAndGoOn(call, step);
  }

  /** No calls: the final transaction, unless steer entries ask for one more model call. */
  async #complete(call: Answered, step: number): Promise<'ended' | undefined> {
    const maySteer = step < this.#context.knobs.maxSteps;
    if (maySteer && this.#steerPending && (await hasSteers(this.#context))) return this.#journalAndGoOn(call, step);
    const end = await endTurn(this.#context, { kind: 'completed', call, maySteer });
    if (end === 'ended') return end;
    this.#steerPending = true;
    return this.#journalAndGoOn(call, step);
  }

  /** Stop and time-out are ends; otherwise the claim is lost or the drain is over. */
  #afterAbort(): Promise<'ended'> {
    const end = this.#earlyEnd();
    if (end === undefined) throw new LostClaim(this.claim.turnId);
    return this.#end(end);
  }

  /** MODEL_RESPONSE with its charge; usage and calls are shown after the commit. */
  async #journalAndGoOn(call: Answered, step: number): Promise<undefined> {
    const { writer, messageId } = this.#context;
    if (writer === undefined) return undefined;
    const { usage, calls, finish } = call.outcome;
    writer.flush();
    writer.reserve(usagePart(usage));
    const cut = finish === 'length' || finish === 'content_filter';
    for (const [index, requested] of calls.entries()) {
      const callId = toolCallId({ turnId: this.claim.turnId, step, index });
      const input = callInput(requested.inputText, cut);
      const part: Part = {
        id: '',
        type: PART.TOOL_CALL,
        name: requested.name,
        payload: { tool_call_id: callId, input },
        continuation: requested.providerCallId,
        createdAt: 0,
      };
      writer.reserve(part);
    }
    const parts = writer.parts();
    this.#deps.faultPoint('before-model-response');
    await this.claim.commit(
      async (tx, state) => {
        await chargeUsage(tx, this.#context, usage);
        await holdObjects({ tx, objects: this.#deps.objects }, state.turn, parts);
        const side = sideAfterCall(parseSide(state.session), call);
        return {
          entries: [{ kind: 'MODEL_RESPONSE', value: { messageId, parts, usage, step } }],
          body: {
            modelCalls: step,
            usage: addUsage(state.body.usage, usage),
            activeMicros: this.#context.activeMicros(),
          },
          side,
        };
      },
      (news) => {
        this.#context.writer = undefined;
        noteRecorded(this.#context, news);
      },
    );
    this.#deps.faultPoint('after-model-response');
    return undefined;
  }

  #failed(
    errorClass: TurnErrorClass,
    sentence: string,
    facts: Partial<Pick<Extract<ModelCallEnd, { kind: 'failed' }>, 'metadata' | 'usage'>> = {},
  ): Extract<TurnEnd, { kind: 'failed' }> {
    const { metadata, usage } = facts;
    const errorId = this.#deps.ids.next();
    const { namespace, agent, sessionId, id } = this.#claimed.turn;
    this.#deps.log.warn('turn failed', {
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
    await endTurn(this.#context, end);
    return 'ended';
  }

  /** Releases the claim at a journal entry: same attempt, no RESET, any worker continues. False: news came first. */
  async #handOver(): Promise<boolean> {
    const { transcript, claim } = this.#context;
    let released = false;
    this.#deps.faultPoint('before-hand-over');
    await claim.commit(
      async (tx, state) => {
        released = state.foreign.length === 0;
        if (!released) return {};
        const next = { ...state.session, fence: state.session.fence + 1 };
        const { session, events } = await releasePendingStops(tx, next, state.body.pendingStops);
        publishAfterCommit({ tx, deps: this.#deps }, events);
        tx.afterCommit(() => this.#deps.bus.publish(WAKE_TURNS, {}));
        return {
          turn: { state: 'QUEUED', ready: true, worker: '', claimExpiresAt: 0 },
          body: {
            resume: 'handover',
            sentParts: transcript.recorded.length,
            pendingStops: [],
            activeMicros: this.#context.activeMicros(),
          },
          session,
        };
      },
      (news) => noteRecorded(this.#context, news),
    );
    this.#deps.faultPoint('after-hand-over');
    return released;
  }

  async #failInternally(error: unknown): Promise<'ended' | 'lost'> {
    const { namespace, agent, sessionId, id } = this.#claimed.turn;
    const names = { namespace, agent, session: sessionId, turn: id };
    if (error instanceof LostClaim) {
      this.lose();
      return 'lost';
    }
    if (isStoreAway(error)) {
      const { reason } = error;
      this.#deps.log.warn('turn left to another attempt: the store stays away', { ...names, reason });
      this.lose();
      return 'lost';
    }
    this.#deps.log.error('turn code threw', names, error);
    try {
      return await this.#end(this.#failed('internal', 'Something went wrong inside the server.'));
    } catch (second) {
      if (!(second instanceof LostClaim)) this.#deps.log.error('turn could not be ended', names, second);
      this.lose();
      return 'lost';
    }
  }
}
