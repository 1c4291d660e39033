import type { Clock, Log } from '../../base/index.ts';
import { sessionHolder } from '../../store/contracts/index.ts';
import type { OfferedTool, ToolContext, ToolRegistry, ToolResult } from '../../tools/contract.ts';
import {
  callerTrace,
  noMeter,
  type ObjectAccess,
  type RuntimeConfig,
  type SessionSide,
  type TurnMeter,
} from '../contract.ts';
import { partId } from '../record/index.ts';
import { grantsOf } from './agent-grants.ts';
import {
  AGAIN,
  type FaultPort,
  type LoopStep,
  PARKED,
  type StepFailure,
  type StepResult,
  type StepTurn,
} from './contract.ts';
import type { Permission } from './permission-step.ts';
import type { Quota } from './quota-step.ts';
import {
  answeredCalls,
  type BatchEnd,
  type BatchPlan,
  batchOf,
  decisionFor,
  deniedResult,
  driveBatch,
  failureFields,
  hasOpenCalls,
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
  readonly permission: Permission;
}

/** One batch of tool calls of a turn: questions first, then the calls, each result journaled as it comes. */
class ToolBatch {
  readonly #turn: StepTurn;
  readonly #offered: readonly OfferedTool[];
  readonly #ports: ToolPorts;
  readonly #steps: ToolSteps;
  /** The quota of tool calls is used up: the turn ends. */
  #refused: StepFailure | undefined;

  constructor(turn: StepTurn, ports: ToolPorts, steps: ToolSteps) {
    this.#turn = turn;
    this.#offered = ports.tools.offered(grantsOf(turn.agent));
    this.#ports = ports;
    this.#steps = steps;
  }

  /** Runs what is open until everything is answered, the turn must wait, or it is stopped. */
  async run(): Promise<StepResult> {
    for (;;) {
      const end = await this.#once();
      if (end === 'parked') return PARKED;
      if (this.#refused !== undefined) return this.#refused;
      if (end.kind !== 'parked') return AGAIN;
      if (this.#isAnswered(end.index)) continue;
      if (await this.#steps.permission.park(this.#turn)) return PARKED;
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
        if (entry !== undefined)
          await this.#settle(entry, states[index]?.state === 'refused' && entry.kind !== 'refused');
      },
    });
  }

  /** An answer came while earlier calls of the batch ran: the batch continues without parking. */
  #isAnswered(index: number): boolean {
    const { recorded } = this.#turn;
    const call = batchOf(recorded).calls[index];
    return call !== undefined && decisionFor(recorded, call.callId) !== 'open';
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
    if (entry.kind === 'run') return { effect, state: 'ready' };
    const decision = decisionFor(this.#turn.recorded, entry.call.callId);
    if (decision === 'allowed' || known.remembered[entry.tool.name] === 'allow') return { effect, state: 'ready' };
    if (decision === 'denied' || known.remembered[entry.tool.name] === 'deny') return { effect, state: 'refused' };
    return { effect, state: 'asking' };
  }

  async #settle(entry: JudgedCall, isDenied: boolean): Promise<void> {
    if (entry.kind === 'refused') return this.#record(entry.call, entry.result, false);
    if (isDenied)
      return this.#record(entry.call, deniedResult(entry.tool.name, 'the request was denied or expired'), false);
    const { callId } = entry.call;
    const refused = await this.#steps.quota.run(this.#turn, { metric: 'tool.calls', callId });
    if (refused !== undefined) {
      this.#refused = refused;
      return;
    }
    const result = await this.#run(entry);
    if (result !== undefined) await this.#record(entry.call, result, true);
  }

  /** Result of a call that ran; undefined when it was stopped, or its claim went meanwhile. */
  async #run({ tool, call, input }: RunnableCall): Promise<ToolResult | undefined> {
    const { clock, log, meter, config, faultPoint } = this.#ports;
    const turn = this.#turn;
    const context = this.#contextOf(call.callId);
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
    if (outcome.end === 'failed') {
      const { namespace, agent, sessionId: session, turnId } = context;
      const names = { namespace, agent, session, turn: turnId, tool: tool.name };
      log.warn('tool failed', { ...names, ...failureFields(outcome.error) });
    }
    return outcome.end === 'stopped' || turn.claim.lost ? undefined : outcome.result;
  }

  #contextOf(callId: string): Omit<ToolContext, 'signal'> {
    const { row, body } = this.#turn;
    const { id: turnId, namespace, agent, sessionId } = row;
    return {
      namespace,
      agent,
      sessionId,
      turnId,
      callId,
      idempotencyKey: idempotencyKey(placeOfCall(turnId, callId) ?? { turnId, step: 0, index: 0 }),
      identity: body.cause.identity,
      nowMicros: this.#ports.clock.nowMicros(),
    };
  }

  async #record(call: RequestedCall, result: ToolResult, ran: boolean): Promise<void> {
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
        body: { toolCalls: state.body.toolCalls + (ran ? 1 : 0) },
      };
    });
    faultPoint('after-tool-result');
  }
}

/** The calls of the newest model response that have no result yet. */
export const createToolStep = (ports: ToolPorts, steps: ToolSteps): LoopStep => ({
  kind: 'tools',
  isDue: (turn) => hasOpenCalls(turn.recorded),
  run: (turn) => new ToolBatch(turn, ports, steps).run(),
});
