import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitsFor, WaitingEvents } from '../../streams/waiting-events.ts';
import { EVENT, PART, type SessionEvent } from '../contract.ts';
import { CursorCodec } from './cursor.ts';
import { SessionFeed } from './session-feed.ts';

const delta = (sessionId: string, sequence: number, content: string): SessionEvent => ({
  namespace: 'default',
  agent: 'helper',
  sessionId,
  turnId: `turn-${sessionId}`,
  messageId: `message-${sessionId}`,
  kind: EVENT.DELTA,
  part: { id: '000000', type: PART.TEXT, content, createdAt: 1 },
  attempt: 1,
  fence: 1,
  sequence,
  units: content.length,
  timestamp: 1,
  reason: '',
});

const feedOf = (sessionId: string): SessionFeed => {
  const source = { store: {} as never, liveTurns: { live: () => undefined } };
  return new SessionFeed({ namespace: 'default', agent: 'helper', sessionId }, source, new CursorCodec('epoch'));
};
const feeds = new Map(['a', 'b', 'c', 'd'].map((session) => [session, feedOf(session)]));

/** What waits for one reader, as `Reader` keeps it. */
class EventBuffer {
  readonly #waiting: WaitingEvents<SessionEvent>;
  constructor(limits: { readonly events: number; readonly bytes: number }) {
    this.#waiting = new WaitingEvents(limits);
  }
  push(event: SessionEvent): boolean {
    return this.#waiting.push(event, feeds.get(event.sessionId)!);
  }
  shift(): SessionEvent | undefined {
    return this.#waiting.shift()?.event;
  }
}

const drain = (buffer: EventBuffer): SessionEvent[] => {
  const events: SessionEvent[] = [];
  for (let event = buffer.shift(); event !== undefined; event = buffer.shift()) events.push(event);
  return events;
};

describe('events that wait for a slow reader', () => {
  it('joins the pieces of a session although others come between them', () => {
    const buffer = new EventBuffer({ events: 4, bytes: 1 << 20 });
    for (let round = 1; round <= 1000; round++)
      for (const session of ['a', 'b', 'c', 'd']) expect(buffer.push(delta(session, round, 'x'))).toBe(true);
    const events = drain(buffer);
    expect(events.map((event) => [event.sessionId, event.part?.content?.length, event.sequence])).toEqual([
      ['a', 1000, 1000],
      ['b', 1000, 1000],
      ['c', 1000, 1000],
      ['d', 1000, 1000],
    ]);
  });

  it('refuses what passes its bounds, which grow with the sessions of a batch', () => {
    const small = { events: 2, bytes: 1 << 20 };
    const buffer = new EventBuffer(small);
    expect(['a', 'b', 'c'].map((session) => buffer.push(delta(session, 1, 'x')))).toEqual([true, true, false]);
    const batch = new EventBuffer(limitsFor(small, 3));
    expect(['a', 'b', 'c'].map((session) => batch.push(delta(session, 1, 'x')))).toEqual([true, true, true]);
  });

  it('keeps the text and the order of every session, whatever is taken out meanwhile', () => {
    const step = fc.record({
      session: fc.constantFrom('a', 'b', 'c'),
      text: fc.string({ minLength: 1, maxLength: 4 }),
      take: fc.nat(2),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const buffer = new EventBuffer({ events: 1000, bytes: 1 << 20 });
        const wanted = new Map<string, string>();
        const got = new Map<string, string>();
        const note = (map: Map<string, string>, session: string, text: string): void =>
          void map.set(session, (map.get(session) ?? '') + text);
        for (const [index, { session, text, take }] of steps.entries()) {
          note(wanted, session, text);
          buffer.push(delta(session, index + 1, text));
          for (let count = 0; count < take; count++) {
            const event = buffer.shift();
            if (event !== undefined) note(got, event.sessionId, event.part?.content ?? '');
          }
        }
        for (const event of drain(buffer)) note(got, event.sessionId, event.part?.content ?? '');
        expect(got).toEqual(wanted);
      }),
    );
  });
});
