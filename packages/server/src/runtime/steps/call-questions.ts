import type { ToolQuestion } from '../../tools/contract.ts';
import type { NewRequest } from './request-step.ts';
import type { RunnableCall } from './tool-batch/index.ts';

const INPUT_OPTIONS: NewRequest['options'] = [
  { id: 'answer', name: 'Answer', allow: true, remember: false },
  { id: 'decline', name: 'Decline', allow: false, remember: false },
];

/** Only the sign-in itself can answer with yes. */
const SIGN_IN_OPTIONS: NewRequest['options'] = [
  { id: 'signed_in', name: 'Signed in', allow: true, remember: false },
  { id: 'decline', name: 'Decline', allow: false, remember: false },
];

/** The request that puts a call's question to a person. */
export const questionRequest = (
  { tool, call, input }: Pick<RunnableCall, 'tool' | 'call'> & { readonly input: unknown },
  question: ToolQuestion,
): NewRequest => ({
  kind: question.kind,
  toolCallId: call.callId,
  key: question.key,
  action: tool.name,
  prompt: question.prompt,
  input,
  options: question.kind === 'input' ? INPUT_OPTIONS : SIGN_IN_OPTIONS,
  ...(question.schema === undefined ? {} : { schema: question.schema }),
  ...(question.url === undefined ? {} : { url: question.url }),
});
