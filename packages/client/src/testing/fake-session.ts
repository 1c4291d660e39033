import { create } from '@bufbuild/protobuf';
import { SessionMessagePartSchema, SessionMessagePartType } from '@svc/api/data';
import {
  type SessionMessagePartEvent,
  SessionMessagePartEventKind,
  SessionMessagePartEventSchema,
} from '@svc/api/events';
import { type FakeCall, FakeFault, type StreamPiece } from './fake-server.ts';

export const key = { ns: 'default', agent: 'demo', sessionId: '0197-session' };

interface EventFacts {
  readonly kind?: SessionMessagePartEventKind;
  readonly type?: SessionMessagePartType;
  readonly text?: string;
  readonly turnId?: string;
  readonly messageId?: string;
  readonly partId?: string;
  readonly reason?: string;
}

/** Event number `sequence`, whose cursor is `c<sequence>`. */
export const event = (sequence: number, facts: EventFacts = {}): SessionMessagePartEvent => {
  const { kind = SessionMessagePartEventKind.DELTA, type = SessionMessagePartType.TEXT, text = '' } = facts;
  const { turnId = 't1', messageId = 'm1', partId = '000000', reason = '' } = facts;
  const hasPart = kind === SessionMessagePartEventKind.DELTA || kind === SessionMessagePartEventKind.ERROR;
  return create(SessionMessagePartEventSchema, {
    ...key,
    kind,
    ...(hasPart ? { part: create(SessionMessagePartSchema, { id: partId, partType: type, content: text }) } : {}),
    messageId,
    turnId,
    reason,
    sequence: BigInt(sequence),
    cursor: `c${sequence}`,
  });
};

/** `words` pieces of text, then DONE. */
export const turnEvents = (words: number): SessionMessagePartEvent[] => [
  ...Array.from({ length: words }, (_, index) => event(index + 1, { text: `w${index + 1} ` })),
  event(words + 1, { kind: SessionMessagePartEventKind.DONE, reason: 'completed' }),
];

/** Serves a list of events after the cursor that is asked for; `cut` decides after each one whether the line breaks. */
export async function* replay(
  events: readonly SessionMessagePartEvent[],
  call: FakeCall,
  cut: (sent: number) => StreamPiece | FakeFault | undefined,
): AsyncGenerator<StreamPiece> {
  const after = call.query.get('after') ?? '';
  const from = after === '' ? 0 : events.findIndex((candidate) => candidate.cursor === after) + 1;
  if (after !== '' && from === 0) throw new FakeFault({ code: 'OUT_OF_RANGE', reason: 'CURSOR_EXPIRED' });
  let sent = 0;
  for (const item of events.slice(from)) {
    const breakage = cut(sent);
    if (breakage instanceof FakeFault) throw breakage;
    if (breakage !== undefined) {
      yield breakage;
      if (breakage !== 'cut') yield 'cut';
      return;
    }
    yield item;
    sent += 1;
  }
}
