import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../base/index.ts';
import { PART } from '../../contract.ts';
import { EventSequencer } from '../../record/event-sequencer.ts';
import { DeltaPressure } from './delta-pressure.ts';
import { PartWriter } from './part-writer.ts';

let clock: ManualClock;
let pressure: DeltaPressure;
let sent: string[];

beforeEach(() => {
  clock = new ManualClock();
  pressure = new DeltaPressure(clock);
  sent = [];
});

const newWriter = (): PartWriter =>
  new PartWriter({
    ...{ clock, pressure, isLost: () => false, sessionId: 's', messageId: 'm', firstIndex: 0 },
    bus: {
      publish: (_subject, event) => {
        sent.push((event as { readonly part?: { readonly content?: string } }).part?.content ?? '');
      },
    },
    sequencer: new EventSequencer({} as never, 1, { attempt: 1 } as never),
  });

/** Pieces of one read from the model's connection: their promises settle within one turn of the event loop. */
const read = async (writer: PartWriter, ...pieces: readonly string[]): Promise<void> => {
  for (const piece of pieces) {
    await Promise.resolve();
    writer.text(PART.TEXT, piece);
  }
  await nextTurn();
};

const putUnderPressure = (): void => {
  for (let index = 0; index < 51; index++) pressure.count(clock.monotonicMs());
};

describe('pieces of text', () => {
  it('leave at once, however soon they follow each other', async () => {
    const writer = newWriter();
    for (const piece of ['a', 'b', 'c']) {
      await read(writer, piece);
      clock.advance(1);
    }
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('of one read leave as one event', async () => {
    const writer = newWriter();
    await read(writer, 'a', 'b', 'c');
    await read(writer, 'd');
    expect(sent).toEqual(['abc', 'd']);
  });

  it('of another kind push out what waits, in the order of the model', async () => {
    const writer = newWriter();
    writer.text(PART.REASONING, 'why');
    writer.text(PART.TEXT, 'what');
    await nextTurn();
    expect(sent).toEqual(['why', 'what']);
  });

  it('are merged to one event in 20 ms while the process is busy, and complete at the end', async () => {
    const writer = newWriter();
    putUnderPressure();
    await read(writer, 'a');
    expect(sent).toEqual(['a']);
    await read(writer, 'b');
    clock.advance(10);
    await read(writer, 'c');
    expect(sent).toEqual(['a']);
    clock.advance(10);
    expect(sent).toEqual(['a', 'bc']);
    await read(writer, 'd');
    writer.flush();
    expect(sent).toEqual(['a', 'bc', 'd']);
  });

  it('are shown to followers only as far as they left', async () => {
    const writer = newWriter();
    putUnderPressure();
    await read(writer, 'a');
    await read(writer, 'b');
    expect(writer.shown().map(({ part }) => part.content)).toEqual(['a']);
    expect(writer.parts().map(({ content }) => content)).toEqual(['ab']);
  });

  it('that wait are dropped when the claim is lost', async () => {
    const writer = newWriter();
    writer.text(PART.TEXT, 'a');
    writer.silence();
    await nextTurn();
    expect(sent).toEqual([]);
  });
});

describe('the process counts as busy', () => {
  const countFor = (pieces: number, everyMs: number): boolean => {
    for (let index = 0; index < pieces; index++) {
      clock.advance(everyMs);
      pressure.count(clock.monotonicMs());
    }
    return pressure.isHigh(clock.monotonicMs());
  };

  it.each([
    [100, 10, false],
    [100, 4, false],
    [400, 1, true],
    [50, 0, false],
    [51, 0, true],
  ])('after %d pieces, one each %d ms: %s', (pieces, everyMs, expected) => {
    expect(countFor(pieces, everyMs)).toBe(expected);
  });

  it('no longer once pieces have become few', () => {
    countFor(400, 1);
    clock.advance(200);
    expect(pressure.isHigh(clock.monotonicMs())).toBe(false);
  });

  it('while the event loop comes late to its timers', () => {
    let fire = (): void => undefined;
    let nowMs = 0;
    const late = new DeltaPressure({
      monotonicMs: () => nowMs,
      after: (_delayMs, callback) => {
        fire = callback;
        return () => undefined;
      },
    });
    late.count(nowMs);
    nowMs = 15;
    fire();
    expect(late.isHigh(nowMs)).toBe(false);
    late.count(nowMs);
    nowMs = 31;
    fire();
    expect(late.isHigh(nowMs)).toBe(true);
    nowMs += 100;
    expect(late.isHigh(nowMs)).toBe(false);
  });

  it('is not probed while nothing arrives', () => {
    let timers = 0;
    const idle = new DeltaPressure({
      monotonicMs: () => 0,
      after: () => {
        timers += 1;
        return () => undefined;
      },
    });
    expect(idle.isHigh(0)).toBe(false);
    idle.count(0);
    idle.count(0);
    expect(timers).toBe(1);
  });
});
