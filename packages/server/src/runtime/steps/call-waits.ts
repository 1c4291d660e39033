import type { ToolPause, ToolQuestion, ToolWait } from '../../tools/contract.ts';
import type { TurnBody } from '../contract.ts';
import type { NewRequest } from './request-step.ts';
import type { RunnableCall } from './tool-batch/index.ts';

/** What calls wait for, as requests and as pauses in the body of their turn. */

type EventWait = Extract<ToolWait, { wait: 'event' }>;

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

/** True when the turn has noted exactly this wait and nothing ended it yet: the call looked again since. */
export const pausedOn = ({ pauses }: TurnBody, callId: string, wait: EventWait): boolean => {
  const pause = pauses?.[callId];
  return pause?.key === wait.key && pause.untilMicros === wait.untilMicros && pause.endedBy === '';
};

/** The body's change that notes the wait; a call that still waits for the same event keeps when it began. */
export const registeredPause = (
  { pauses = {} }: TurnBody,
  callId: string,
  wait: Pick<EventWait, 'key' | 'untilMicros'> & { readonly now: number },
): Pick<TurnBody, 'pauses'> => {
  const before = pauses[callId];
  const { key, untilMicros, now } = wait;
  const sinceMicros = before?.key === key ? before.sinceMicros : now;
  const pause: ToolPause = { key, sinceMicros, untilMicros, endedBy: '' };
  return { pauses: { ...pauses, [callId]: pause } };
};

/** The body's change that forgets the wait of a call that has its result; nothing where it never waited. */
export const withoutPause = ({ pauses }: TurnBody, callId: string): Pick<TurnBody, 'pauses'> => {
  if (pauses?.[callId] === undefined) return {};
  const { [callId]: _ended, ...rest } = pauses;
  return { pauses: rest };
};
