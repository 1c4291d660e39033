import type { ToolRegistry } from '../../tools/contract.ts';
import { type ObjectAccess, PART } from '../contract.ts';
import { addUsage, parseSide } from '../record/index.ts';
import { holdObjects, type KeepSources } from '../session/index.ts';
import { toolTurn } from './agent-grants.ts';
import type { ModelAnswer } from './answer/index.ts';
import { AGAIN, type FaultPort, type LoopStep, type StepResult, type StepTurn } from './contract.ts';
import { sideAfterCall, usagePart } from './model-call/index.ts';
import { ModelTries, type TryPorts, type TrySteps } from './model-tries.ts';
import { chargeUsage, type QuotaPorts } from './quota-step.ts';
import { callInput, toolCallId } from './tool-batch/index.ts';

/** What a model step uses. */
export interface ModelPorts extends TryPorts, QuotaPorts, FaultPort {
  readonly tools: Pick<ToolRegistry, 'offered'>;
  readonly objects: Pick<ObjectAccess, 'store' | 'hold'>;
  readonly keepSources: KeepSources;
}

/** MODEL_RESPONSE with its charge; usage and calls are shown after the commit. */
const record = async (turn: StepTurn, answer: ModelAnswer, ports: ModelPorts): Promise<void> => {
  const { writer, messageId } = turn;
  if (writer === undefined) return;
  const step = turn.body.modelCalls + 1;
  const { usage, calls, finish } = answer.outcome;
  writer.flush();
  writer.reserve(usagePart(usage));
  const cut = finish === 'length' || finish === 'content_filter';
  for (const [index, requested] of calls.entries()) {
    const callId = toolCallId({ turnId: turn.row.id, step, index });
    const input = callInput(requested.inputText, cut);
    writer.reserve({
      id: '',
      type: PART.TOOL_CALL,
      name: requested.name,
      payload: { tool_call_id: callId, input },
      continuation: requested.providerCallId,
      createdAt: 0,
    });
  }
  const parts = writer.parts();
  const asked = writer.call?.kept();
  ports.faultPoint('before-model-response');
  await turn.commitAnswer(async (tx, state) => {
    await chargeUsage({ tx, usage: ports.usage }, turn, usage);
    await holdObjects({ tx, objects: ports.objects }, state.turn, parts);
    const side = sideAfterCall(parseSide(state.session), answer);
    await ports.keepSources(tx, turn.agent, asked?.sources ?? []);
    return {
      entries: [{ kind: 'MODEL_RESPONSE', value: { messageId, parts, usage, step, request: asked?.record } }],
      body: {
        modelCalls: step,
        usage: addUsage(state.body.usage, usage),
        activeMicros: turn.activeMicros(),
      },
      side,
    };
  });
  ports.faultPoint('after-model-response');
};

/**
 * One model call: an answer with tool calls is recorded, one without is what the turn ends with. The last call that a turn
 * may make offers no tools.
 */
export const createModelStep = (ports: ModelPorts, steps: TrySteps): LoopStep => ({
  kind: 'model',
  isDue: () => true,
  run: async (turn): Promise<StepResult> => {
    const number = turn.body.modelCalls + 1;
    const isLast = number >= turn.knobs.maxSteps;
    const offered = isLast ? [] : await ports.tools.offered(toolTurn(turn));
    const end = await new ModelTries(turn, { offered, number }, { ports, steps }).run();
    if (end.kind !== 'answered') return end.kind === 'failed' ? end : { kind: end.kind };
    const { answer } = end;
    const { calls, usage } = answer.outcome;
    if (calls.length === 0)
      return { kind: 'answered', answer, maySteer: !isLast, record: () => record(turn, answer, ports) };
    if (isLast) {
      const sentence = `The model asked for more tools after ${number} calls.`;
      return { kind: 'failed', errorClass: 'step_limit', sentence, usage };
    }
    await record(turn, answer, ports);
    return AGAIN;
  },
});
