import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT, PART, type Part, type PlacedPart, SEQUENCE_BASE, type SessionEvent, type Span } from '../contract.ts';
import { unitsOf } from '../record/turn-record.ts';
import { cutEvents, startOfMessage } from './cut-events.ts';
import type { TurnView } from './turn-view.ts';

/** What a client shows after a run of events: RESET clears its message, pieces join per part (API-5.1). */
const show = (events: readonly SessionEvent[], start: ReadonlyMap<string, string> = new Map()): Map<string, string> => {
  const shown = new Map(start);
  for (const event of events) {
    if (event.kind === EVENT.RESET) {
      for (const key of [...shown.keys()]) if (key.startsWith(`${event.messageId}/`)) shown.delete(key);
    } else if (event.part !== undefined) {
      const key = `${event.messageId}/${event.part.id}/${event.part.type}`;
      shown.set(key, (shown.get(key) ?? '') + (event.part.content ?? 'x'));
    } else shown.set('end', event.reason);
  }
  return shown;
};

type Action =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'record' | 'tool' | 'steer' | 'crash' | 'handOver' };

/** A worker as RT-2.5 describes it, reduced to what it sends and records. */
class TurnScript {
  readonly events: SessionEvent[] = [];
  readonly recorded: PlacedPart[] = [];
  readonly spans: Span[] = [];
  #step: Part[] = [];
  #message = 1;
  #fence = 1;
  #attempt = 1;
  #units = 0;

  constructor() {
    this.#claim(false);
  }

  run(action: Action): void {
    if (action.type === 'text') this.#text(PART.TEXT, action.text);
    else if (action.type === 'reasoning') this.#text(PART.REASONING, action.text);
    else if (action.type === 'record') this.#record();
    else if (action.type === 'tool') {
      this.#record();
      const part: Part = { id: this.#nextId(), type: PART.TOOL_RESULT, content: 'out', createdAt: 1 };
      this.recorded.push({ messageId: this.#messageId, part });
      this.#send(EVENT.DELTA, 1, part);
    } else if (action.type === 'steer') {
      this.#record();
      if (this.recorded.some((placed) => placed.messageId === this.#messageId)) this.#message += 1;
    } else if (action.type === 'crash') {
      this.#step = [];
      this.#attempt += 1;
      this.#fence += 1;
      this.#claim(true);
    } else {
      this.#record();
      this.#fence += 2;
      this.#claim(false);
    }
  }

  /** As another process, or this one, sees it while it runs. */
  view(): TurnView {
    const parts = [...this.recorded, ...this.#step.map((part) => ({ messageId: this.#messageId, part }))];
    return { namespace: 'n', agent: 'a', sessionId: 's', turnId: 't', spans: this.spans, parts, startedAt: 1 };
  }

  finish(): TurnView {
    this.#record();
    this.#send(EVENT.DONE, 1);
    const sequence = this.events.at(-1)!.sequence;
    const terminal = {
      kind: EVENT.DONE,
      sequence,
      attempt: this.#attempt,
      messageId: this.#messageId,
      reason: 'completed',
      timestamp: 1,
    };
    return { ...this.view(), terminal };
  }

  get #messageId(): string {
    return `m${this.#message}`;
  }

  #nextId(): string {
    const placed = this.recorded.filter((entry) => entry.messageId === this.#messageId).length;
    return String(placed + this.#step.length).padStart(6, '0');
  }

  #text(type: typeof PART.TEXT | typeof PART.REASONING, text: string): void {
    const last = this.#step.at(-1);
    if (last?.type === type) this.#step[this.#step.length - 1] = { ...last, content: last.content + text };
    else this.#step.push({ id: this.#nextId(), type, content: text, createdAt: 1 });
    this.#send(EVENT.DELTA, text.length, { ...this.#step.at(-1)!, content: text });
  }

  #record(): void {
    const usage: Part = { id: this.#nextId(), type: PART.USAGE, createdAt: 1 };
    this.#step.push(usage);
    this.#send(EVENT.DELTA, 1, usage);
    for (const part of this.#step) this.recorded.push({ messageId: this.#messageId, part });
    this.#step = [];
  }

  #claim(reset: boolean): void {
    this.#units = 0;
    const first = this.recorded.findIndex((placed) => placed.messageId === this.#messageId);
    const firstPart = reset && first !== -1 ? first : this.recorded.length;
    this.spans.push({
      fence: this.#fence,
      attempt: this.#attempt,
      firstPart,
      reset,
      messageId: this.#messageId,
      ...(reset ? { reason: 'recovered' } : {}),
    });
    if (!reset) return;
    this.#send(EVENT.RESET, 1);
    for (const placed of this.recorded.slice(firstPart)) this.#send(EVENT.DELTA, unitsOf(placed.part), placed.part);
  }

  #send(kind: SessionEvent['kind'], units: number, part?: Part): void {
    const reason = kind === EVENT.RESET ? 'recovered' : kind === EVENT.DONE ? 'completed' : '';
    this.#units += units;
    const sequence = this.#fence * SEQUENCE_BASE + this.#units;
    this.events.push({
      namespace: 'n',
      agent: 'a',
      sessionId: 's',
      turnId: 't',
      messageId: this.#messageId,
      kind,
      attempt: this.#attempt,
      fence: this.#fence,
      sequence,
      units,
      timestamp: 1,
      reason,
      ...(part === undefined ? {} : { part }),
    });
  }
}

const text = fc.string({ minLength: 1, maxLength: 6 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constantFrom('text' as const, 'reasoning' as const), text }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constantFrom(
        'record' as const,
        'tool' as const,
        'steer' as const,
        'crash' as const,
        'handOver' as const,
      ),
    }),
  },
);

const play = (actions: readonly Action[]): TurnScript => {
  const script = new TurnScript();
  for (const each of actions) script.run(each);
  return script;
};

describe('cutting events of a turn', () => {
  test('a resume at any event of any history shows exactly what a reader without a break sees', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 25 }), fc.nat(), fc.boolean(), (actions, at, ended) => {
        const script = play(actions);
        const view = ended ? script.finish() : script.view();
        const { events } = script;
        const cut = events.length === 0 ? 0 : at % (events.length + 1);
        const after = cut === 0 ? SEQUENCE_BASE : events[cut - 1]!.sequence;
        const rest = cutEvents(view, after);
        expect(show(rest, show(events.slice(0, cut)))).toEqual(show(events));
        expect(rest.at(-1)?.sequence ?? after).toBe(events.at(-1)?.sequence ?? SEQUENCE_BASE);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a resume inside a text continues at that very character, and sequences join', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 25 }), fc.nat(), (actions, offset) => {
        const view = play(actions).finish();
        const whole = cutEvents(view, 0);
        const first = whole[offset % whole.length]!;
        const after = first.sequence - (offset % (first.units + 1));
        const rest = cutEvents(view, after);
        for (const [index, event] of rest.entries()) {
          const before = index === 0 ? after : rest[index - 1]!.sequence;
          expect(event.sequence).toBeGreaterThan(before);
          if (event.fence === Math.floor(before / SEQUENCE_BASE)) expect(event.sequence - event.units).toBe(before);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('the place of a message yields that message whole and nothing of the ones before', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 25 }), (actions) => {
        const view = play(actions).finish();
        const messages = [...new Set(view.parts.map((placed) => placed.messageId))];
        for (const [index, messageId] of messages.entries()) {
          const place = startOfMessage(view, messageId);
          const wanted = view.parts.filter((placed) => messages.indexOf(placed.messageId) >= index);
          const cut = cutEvents(view, place ?? 0);
          const expected = new Map<string, string>();
          for (const { messageId: id, part } of wanted)
            expected.set(`${id}/${part.id}/${part.type}`, part.content ?? 'x');
          expect(show(cut)).toEqual(expected.set('end', 'completed'));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('a cursor in the message that a crash took back yields RESET first', () => {
    const script = new TurnScript();
    script.run({ type: 'text', text: 'lost words' });
    const after = script.events.at(-1)!.sequence;
    script.run({ type: 'crash' });
    script.run({ type: 'text', text: 'new' });
    const kinds = cutEvents(script.view(), after).map((event) => [
      event.kind,
      event.part?.content,
      event.attempt,
      event.reason,
    ]);
    expect(kinds).toEqual([
      [EVENT.RESET, undefined, 2, 'recovered'],
      [EVENT.DELTA, 'new', 2, ''],
    ]);
  });

  test('continuation data of the provider stays inside', () => {
    const view: TurnView = {
      ...new TurnScript().view(),
      parts: [
        {
          messageId: 'm1',
          part: { id: '000000', type: PART.REASONING, content: 'r', createdAt: 1, continuation: { secret: 1 } },
        },
      ],
    };
    expect(JSON.stringify(cutEvents(view, 0))).not.toContain('secret');
  });
});
