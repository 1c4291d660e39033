import { SessionMessagePartType as Type } from '@svc/api/data';
import { SessionMessagePartEventKind as Kind } from '@svc/api/events';

interface EventFacts {
  readonly kind?: Kind;
  readonly type?: Type;
  readonly text?: string;
  readonly name?: string;
  readonly payload?: unknown;
  readonly turnId?: string;
  readonly messageId?: string;
  readonly reason?: string;
}

let sequence = 0;

/** One event of a session; ids of turn and message default to t1 and m1. */
export const event = (facts: EventFacts) => {
  sequence += 1;
  const {
    kind = Kind.DELTA,
    type = Type.TEXT,
    text = '',
    name = '',
    payload,
    turnId = 't1',
    messageId = 'm1',
    reason = '',
  } = facts;
  const hasPart = kind === Kind.DELTA || kind === Kind.ERROR;
  const part = {
    id: '000000',
    partType: type,
    content: text,
    name,
    payloadJson: payload === undefined ? '' : JSON.stringify(payload),
  };
  return {
    sessionId: 's1',
    ns: 'default',
    agent: 'demo',
    kind,
    ...(hasPart ? { part } : {}),
    turnId,
    messageId,
    reason,
    cursor: `c${sequence}`,
    sequence: BigInt(sequence),
  };
};

export const text = (content: string, messageId = 'm1') => event({ text: content, messageId });
export const done = (reason = 'completed', turnId = 't1') => event({ kind: Kind.DONE, reason, turnId });
export const reset = (messageId = 'm1') => event({ kind: Kind.RESET, messageId, reason: 'recovered' });
export const toolCall = (name: string, input: unknown) =>
  event({ type: Type.TOOL_CALL, name, payload: { tool_call_id: 'k1', input } });
export const toolResult = (name: string, content: string, payload: object = {}) =>
  event({ type: Type.TOOL_RESULT, name, text: content, payload: { tool_call_id: 'k1', ...payload } });
