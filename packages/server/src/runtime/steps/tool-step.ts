import { assert, type Clock, type Log } from '../../base/index.ts';
import { sessionHolder } from '../../store/contracts/index.ts';
import type { OfferedTool, ToolContext, ToolRegistry, ToolResult, ToolWait } from '../../tools/contract.ts';
import {
  callerTrace,
  noMeter,
  type ObjectAccess,
  type RuntimeConfig,
  type SessionSide,
  type TurnMeter,
} from '../contract.ts';
import { partId } from '../record/index.ts';
import { toolTurn } from './agent-grants.ts';
import { questionRequest } from './call-questions.ts';
import { pausedOn, registeredPause, withoutPauses } from './call-waits.ts';
import { AGAIN, type FaultPort, type LoopStep, PARKED, type StepResult, type StepTurn } from './contract.ts';
import type { Permission } from './permission-step.ts';
import type { Quota, QuotaRefusal } from './quota-step.ts';
import type { Requests } from './request-step.ts';
import {
  answeredCalls,
  answersTo,
  type BatchEnd,
  type BatchPlan,
  batchOf,
  decisionFor,
  deniedResult,
  driveBatch,
  failureFields,
  hasOpenCalls,
  hasOpenQuestion,
  idempotencyKey,
  type JudgedCall,
  judgeCalls,
  placeOfCall,
  type RequestedCall,
  type RunnableCall,
  runTool,
  toolResultPart,
} from './tool-batch/index.ts';

/** What a batch of tool calls uses. */
export interface ToolPorts extends FaultPort {
  readonly tools: Pick<ToolRegistry, 'offered' | 'exists' | 'validate'>;
  readonly objects: Pick<ObjectAccess, 'store' | 'hold'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent: nothing is counted. */
  readonly meter?: TurnMeter;
  readonly config: Pick<RuntimeConfig, 'maxBatchCalls' | 'maxToolCalls' | 'toolTimeoutMs'>;
}

/** Steps inside a batch. */
export interface ToolSteps {
  readonly quota: Quota;
  readonly requests: Requests;
  readonly permission: Permission;
}

/** One batch of tool calls of a turn: questions first, then the calls, each result journaled as it comes. */
class ToolBatch {
  readonly #turn: StepTurn;
  #offered: readonly OfferedTool[] = [];
  readonly #ports: ToolPorts;
  readonly #steps: ToolSteps;
  /** The quota of tool calls is used up. */
  #refused: QuotaRefusal | undefined;
  /** A call asked a person, and the turn waits since the same transaction. */
  #isParked = false;

  constructor(turn: StepTurn, ports: ToolPorts, steps: ToolSteps) {
    this.#turn = turn;
    this.#ports = ports;
    this.#steps = steps;
  }

  /** Runs what is open until everything is answered, the turn must wait, or it is stopped. */
  async run(): Promise<StepResult> {
    const open = this.#openCalls().map(({ name }) => name);
    this.#offered = await this.#ports.tools.offered(toolTurn(this.#turn, open));
    for (;;) {
      const end = await this.#once();
      if (end === 'parked' || this.#isParked) return PARKED;
      if (this.#refused !== undefined) return this.#steps.quota.refused(this.#turn, this.#refused);
      if (end.kind !== 'parked') return AGAIN;
      if (this.#mayContinue(end.index)) continue;
      if (await this.#steps.requests.park(this.#turn, this.#callAt(end.index))) return PARKED;
    }
  }

  async #once(): Promise<BatchEnd | 'parked'> {
    const turn = this.#turn;
    const { permission } = this.#steps;
    const judged = this.#judge();
    if (await permission.run(turn, judged)) return 'parked';
    const done = answeredCalls(turn.recorded);
    const remembered = await permission.remembered(turn);
    const states = judged.map((entry) => this.#stateOf(entry, { done, remembered }));
    return driveBatch({
      calls: states,
      parallelTools: turn.knobs.parallelTools,
      isStopping: () => turn.isStopping || this.#refused !== undefined,
      settle: async (index) => {
        const entry = judged[index];
        if (entry === undefined) return 'done';
        return this.#settle(entry, states[index]?.state === 'refused' && entry.kind !== 'refused');
      },
    });
  }

  /** What the call waits for came while other calls of the batch ran: the batch continues without parking. */
  #mayContinue(index: number): boolean {
    const { recorded, body } = this.#turn;
    const callId = this.#callAt(index);
    const pause = body.pauses?.[callId];
    return !hasOpenQuestion(recorded, callId) && (pause === undefined || pause.endedBy !== '');
  }

  #callAt(index: number): string {
    const call = batchOf(this.#turn.recorded).calls[index];
    assert(call !== undefined, 'a batch waits for one of its own calls');
    return call.callId;
  }

  #openCalls(): readonly RequestedCall[] {
    const { recorded } = this.#turn;
    const done = answeredCalls(recorded);
    return batchOf(recorded).calls.filter(({ callId }) => !done.has(callId));
  }

  /** Nothing of the batch can run while this call waits. */
  #isLastOpen(callId: string): boolean {
    return this.#openCalls().every((call) => call.callId === callId);
  }

  #judge(): readonly JudgedCall[] {
    const { tools, config } = this.#ports;
    const { calls, earlier } = batchOf(this.#turn.recorded);
    const names = new Set(this.#offered.map((offer) => offer.tool.name));
    return judgeCalls(calls, {
      offered: this.#offered,
      exists: (name) => names.has(name) || tools.exists(name),
      validate: (tool, input) => tools.validate(tool, input),
      earlier,
      maxBatchCalls: config.maxBatchCalls,
      maxTurnCalls: config.maxToolCalls,
    });
  }

  #stateOf(
    entry: JudgedCall,
    known: { readonly done: ReadonlySet<string>; readonly remembered: SessionSide['remembered'] },
  ): BatchPlan['calls'][number] {
    const effect = entry.kind === 'refused' ? 'read' : entry.tool.effect;
    if (known.done.has(entry.call.callId)) return { effect, state: 'done' };
    if (entry.kind === 'refused') return { effect, state: 'refused' };
    if (hasOpenQuestion(this.#turn.recorded, entry.call.callId)) return { effect, state: 'asking' };
    if (entry.kind === 'run') return { effect, state: 'ready' };
    const decision = decisionFor(this.#turn.recorded, entry.call.callId);
    if (decision === 'allowed' || known.remembered[entry.tool.name] === 'allow') return { effect, state: 'ready' };
    if (decision === 'denied' || known.remembered[entry.tool.name] === 'deny') return { effect, state: 'refused' };
    return { effect, state: 'asking' };
  }

  async #settle(entry: JudgedCall, isDenied: boolean): Promise<'waiting' | 'done'> {
    if (entry.kind === 'refused') return this.#record(entry.call, entry.result, false);
    if (isDenied)
      return this.#record(entry.call, deniedResult(entry.tool.name, 'the request was denied or expired'), false);
    const { callId } = entry.call;
    const granted = await this.#steps.quota.run(this.#turn, { metric: 'tool.calls', callId });
    if (granted.kind === 'failed') {
      this.#refused = granted;
      return 'done';
    }
    for (;;) {
      const outcome = await this.#run(entry);
      if (outcome === undefined) return 'done';
      if (!('wait' in outcome)) return this.#record(entry.call, outcome, true);
      if (await this.#waits(entry, outcome)) return 'waiting';
    }
  }

  /**
   * Notes what the call waits for. False: the call has to run once more. An event that comes before the note finds no pause to end, so the call
   * checks for it again; one that comes after the note ends the pause, which keeps the turn from parking.
   */
  async #waits({ tool, call, input }: RunnableCall, wait: ToolWait): Promise<boolean> {
    const turn = this.#turn;
    if (wait.wait === 'person') {
      const question = questionRequest({ tool, call, input }, wait.question);
      this.#isParked = await this.#steps.requests.ask(turn, [question], this.#isLastOpen(call.callId));
      return true;
    }
    if (pausedOn(turn.body, call.callId, wait)) return true;
    await turn.commit(async (tx, { body }) => ({
      body: registeredPause(body, call.callId, { ...wait, now: tx.now() }),
    }));
    return false;
  }

  /** Result of a call that ran, or what it waits for; undefined when it was stopped, or its claim went meanwhile. */
  async #run({ tool, call, input }: RunnableCall): Promise<ToolResult | ToolWait | undefined> {
    const { clock, log, meter, config, faultPoint } = this.#ports;
    const turn = this.#turn;
    const context = this.#contextOf(tool.name, call.callId);
    faultPoint('before-tool');
    const span = turn.span.toolCall(tool.name, call.callId, input);
    const startedMs = clock.monotonicMs();
    const traceHeaders = span.traceHeaders ?? callerTrace(turn.body.cause);
    const outcome = await runTool(tool, traceHeaders === undefined ? context : { ...context, traceHeaders }, {
      input,
      options: { timeoutMs: config.toolTimeoutMs, signal: turn.signal, clock },
    });
    span.end(outcome);
    (meter ?? noMeter).toolRan(tool.name, outcome.end, clock.monotonicMs() - startedMs);
    faultPoint('after-tool');
    if (outcome.end === 'waiting') return turn.claim.lost ? undefined : outcome.wait;
    if (outcome.end === 'failed') {
      const { namespace, agent, sessionId: session, turnId } = context;
      const names = { namespace, agent, session, turn: turnId, tool: tool.name };
      log.warn('tool failed', { ...names, ...failureFields(outcome.error) });
    }
    return outcome.end === 'stopped' || turn.claim.lost ? undefined : outcome.result;
  }

  #contextOf(tool: string, callId: string): Omit<ToolContext, 'signal' | 'progress'> {
    const { row, body, recorded } = this.#turn;
    const waited = body.pauses?.[callId];
    const { reach = 'own', narrower } = this.#offered.find((one) => one.tool.name === tool) ?? {};
    const { id: turnId, namespace, agent, sessionId } = row;
    return {
      namespace,
      agent,
      sessionId,
      turnId,
      callId,
      idempotencyKey: idempotencyKey(placeOfCall(turnId, callId) ?? { turnId, step: 0, index: 0 }),
      identity: body.cause.identity,
      lineage: body.cause.lineage,
      reach,
      ...(narrower === undefined ? {} : { narrower }),
      answers: answersTo(recorded, callId),
      ...(waited === undefined ? {} : { waited }),
      nowMicros: this.#ports.clock.nowMicros(),
    };
  }

  async #record(call: RequestedCall, result: ToolResult, ran: boolean): Promise<'done'> {
    const { objects, clock, faultPoint } = this.#ports;
    const turn = this.#turn;
    const { claim, messageId } = turn;
    const { namespace, sessionId } = turn.row;
    const made = await toolResultPart({
      id: '',
      name: call.name,
      callId: call.callId,
      result,
      createdAt: clock.nowMicros(),
      write: (bytes, facts) => claim.patiently(() => objects.store(namespace, bytes, facts)),
    });
    faultPoint('before-tool-result');
    await turn.commit(async (tx, state) => {
      for (const object of made.objects) await objects.hold(tx, namespace, object, sessionHolder(sessionId));
      const part = { ...made.part, id: partId(turn.nextIndex + state.foreign.length) };
      return {
        entries: [{ kind: 'TOOL_RESULT', value: { messageId, part, callId: call.callId } }],
        body: { toolCalls: state.body.toolCalls + (ran ? 1 : 0), ...withoutPauses(state.body, [call.callId]) },
      };
    });
    faultPoint('after-tool-result');
    return 'done';
  }
}

/** The calls of the newest model response that have no result yet. */
export const createToolStep = (ports: ToolPorts, steps: ToolSteps): LoopStep => ({
  kind: 'tools',
  isDue: (turn) => hasOpenCalls(turn.recorded),
  run: (turn) => new ToolBatch(turn, ports, steps).run(),
});
