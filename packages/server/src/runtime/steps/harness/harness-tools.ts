import { errorResult, type OfferedTool, type ToolResult } from '../../../tools/contract.ts';
import type { HarnessToolCall, HarnessToolResult } from '../../contract.ts';
import { toolTurn } from '../agent-grants.ts';
import type { StepTurn } from '../contract.ts';
import type { Permission } from '../permission-step.ts';
import { question } from '../permission-step.ts';
import {
  deniedResult,
  idempotencyKey,
  type JudgedCall,
  judgeCalls,
  placeOfCall,
  type RunnableCall,
  runTool,
} from '../tool-batch/index.ts';
import type { ToolPorts } from '../tool-step.ts';
import type { HarnessQuestions } from './harness-questions.ts';
import type { HarnessRecorder } from './harness-recorder.ts';

/** What tools of harnesses use. */
export type HarnessToolPorts = Pick<ToolPorts, 'tools' | 'clock' | 'config'>;

interface HarnessToolParts {
  readonly ports: HarnessToolPorts;
  readonly recorder: HarnessRecorder;
  readonly questions: HarnessQuestions;
  readonly permission: Pick<Permission, 'remembered'>;
  /** Counts the call; false when it may not run. */
  readonly reserve: (callId: string) => Promise<boolean>;
}

/** The agent's own tools as its harness calls them: judged, asked about, counted, run and recorded like those of a model. */
export class HarnessTools {
  readonly #turn: StepTurn;
  readonly #by: HarnessToolParts;
  #offered: Promise<readonly OfferedTool[]> | undefined;
  #calls = 0;

  constructor(turn: StepTurn, by: HarnessToolParts) {
    this.#turn = turn;
    this.#by = by;
  }

  /** The same for the whole prompt. */
  offered(): Promise<readonly OfferedTool[]> {
    this.#offered ??= this.#by.ports.tools.offered(toolTurn(this.#turn));
    return this.#offered;
  }

  async call({ name, input, announcedAs }: HarnessToolCall): Promise<HarnessToolResult> {
    const { recorder } = this.#by;
    this.#calls += 1;
    // A call that the harness announced is recorded and counted as that; its own id is never one of ours.
    const ownId = announcedAs === '' ? `tool ${this.#calls}` : announcedAs;
    const callId = recorder.idOf(ownId);
    if (announcedAs === '') await recorder.callBegan({ callId: ownId, name, input });
    const result = await this.#result(await this.#judged(callId, name, input));
    if (announcedAs === '') await recorder.resultOf({ callId: ownId, name }, result);
    return shown(result);
  }

  async #judged(callId: string, name: string, input: unknown): Promise<JudgedCall> {
    const { tools, config } = this.#by.ports;
    const offered = await this.offered();
    const names = new Set(offered.map(({ tool }) => tool.name));
    const [judged] = judgeCalls([{ callId, name, input }], {
      offered,
      exists: (wanted) => names.has(wanted) || tools.exists(wanted),
      validate: (tool, given) => tools.validate(tool, given),
      earlier: [],
      maxBatchCalls: config.maxBatchCalls,
      maxTurnCalls: config.maxToolCalls,
    });
    if (judged !== undefined && this.#calls <= config.maxToolCalls) return judged;
    const result = errorResult(name, 'failed', `a turn may call at most ${config.maxToolCalls} tools`);
    return { kind: 'refused', call: { callId, name, input }, result };
  }

  async #result(judged: JudgedCall): Promise<ToolResult> {
    if (judged.kind === 'refused') return judged.result;
    const { name } = judged.tool;
    if (judged.kind === 'ask' && !(await this.#isAllowed(judged)))
      return deniedResult(name, 'the request was denied or expired');
    const { callId } = judged.call;
    if (!(await this.#by.reserve(callId))) return errorResult(name, 'failed', 'the quota of tool calls is used up');
    return this.#run(judged);
  }

  async #isAllowed(judged: RunnableCall): Promise<boolean> {
    const { permission, questions } = this.#by;
    const remembered = (await permission.remembered(this.#turn))[judged.tool.name];
    if (remembered !== undefined) return remembered === 'allow';
    const asked = question(this.#turn, judged);
    const chosen = await questions.askAs(asked);
    return asked.options.find(({ id }) => id === chosen)?.allow === true;
  }

  async #run({ tool, call, input }: RunnableCall): Promise<ToolResult> {
    const turn = this.#turn;
    const { clock, config } = this.#by.ports;
    const { reach = 'own', narrower } = (await this.offered()).find((one) => one.tool.name === tool.name) ?? {};
    const { id: turnId, namespace, agent, sessionId } = turn.row;
    const place = placeOfCall(turnId, call.callId) ?? { turnId, step: 0, index: 0 };
    const { identity, lineage } = turn.body.cause;
    const names = { namespace, agent, sessionId, turnId, callId: call.callId, identity, lineage, reach };
    const context = {
      ...names,
      idempotencyKey: idempotencyKey(place),
      ...(narrower === undefined ? {} : { narrower }),
      answers: [],
      nowMicros: clock.nowMicros(),
    };
    const span = turn.span.toolCall(tool.name, call.callId, input);
    const options = { timeoutMs: config.toolTimeoutMs, signal: turn.signal, clock };
    const outcome = await runTool(tool, context, { input, options });
    span.end(outcome);
    if (outcome.end !== 'waiting') return outcome.result;
    return errorResult(tool.name, 'unavailable', 'this tool has to wait, which it cannot for an external agent');
  }
}

/** Results as a harness gets them: text, and the structured value where it is an object. */
const shown = ({ content, structured, isError }: ToolResult): HarnessToolResult => {
  const text = content
    .map((part) => (part.type === 'text' ? part.text : `[file ${part.filename} (${part.mediaType})]`))
    .join('\n');
  const isObject = typeof structured === 'object' && structured !== null && !Array.isArray(structured);
  return { text, isError, ...(isObject ? { structured: structured as Readonly<Record<string, unknown>> } : {}) };
};
