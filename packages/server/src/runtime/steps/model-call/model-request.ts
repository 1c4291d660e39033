import type { ModelRequest, ModelTarget } from '../../../models/contract.ts';
import { callerTrace, type PromptPlan } from '../../contract.ts';
import type { ResolvedProfile } from '../../record/index.ts';
import type { StepTurn } from '../contract.ts';

/** `provider/model`, as token corrections and reservations are kept by. */
export const targetKey = ({ provider, model }: ModelTarget): string => `${provider}/${model}`;

/** The request of the turn's next model call to one profile. */
export const modelRequest = (
  turn: StepTurn,
  profile: ResolvedProfile,
  content: Pick<Extract<PromptPlan, { kind: 'call' }>, 'messages' | 'tools'>,
): ModelRequest => {
  const traceHeaders = callerTrace(turn.body.cause);
  return {
    target: profile.target,
    messages: content.messages,
    tools: content.tools,
    ...(profile.temperature === undefined ? {} : { temperature: profile.temperature }),
    ...(profile.thinking === undefined ? {} : { thinking: profile.thinking }),
    namespace: turn.row.namespace,
    turnId: turn.row.id,
    callNumber: turn.body.modelCalls + 1,
    ...(traceHeaders === undefined ? {} : { traceHeaders }),
  };
};
