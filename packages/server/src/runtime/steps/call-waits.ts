import type { ToolPause, ToolWait } from '../../tools/contract.ts';
import type { PlacedPart, TurnBody } from '../contract.ts';
import { batchOf, hasOpenQuestion } from './tool-batch/index.ts';

/** The events that calls wait for, as pauses in the body of their turn. */

type EventWait = Extract<ToolWait, { wait: 'event' }>;

/** True when the turn has noted exactly this wait and nothing ended it yet: the call has checked for its event since. */
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

/** The body's change that forgets the waits of calls that have their result or ask a person; nothing where none of them waited. */
export const withoutPauses = ({ pauses = {} }: TurnBody, callIds: readonly string[]): Pick<TurnBody, 'pauses'> => {
  const all = Object.entries(pauses);
  const left = all.filter(([callId]) => !callIds.includes(callId));
  return left.length === all.length ? {} : { pauses: Object.fromEntries(left) };
};

/**
 * Pauses that keep the turn from parking once they end, and whose deadlines wake it: those of the calls that come before the first one with
 * an open question. A later call cannot run before that question is answered, so what it waits for changes nothing yet.
 */
export const livePauses = (recorded: readonly PlacedPart[], { pauses = {} }: TurnBody): readonly ToolPause[] => {
  const { calls } = batchOf(recorded);
  const blocking = calls.findIndex(({ callId }) => hasOpenQuestion(recorded, callId));
  const ahead = blocking === -1 ? calls : calls.slice(0, blocking);
  return ahead.flatMap(({ callId }) => pauses[callId] ?? []);
};
