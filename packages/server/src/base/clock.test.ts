import { describe, expect, test } from 'vitest';
import { guardedClock, ManualClock, wallClock } from './clock.ts';
import { createIds } from './ids.ts';
import { systemRandom } from './random.ts';

const NOON_MS = 1_750_000_000_000;
const HOUR_MS = 3_600_000;

/** A machine whose clocks the test moves; the monotonic clock never steps. */
class Machine {
  #wallMs = NOON_MS;
  #sinceStartMs = 5000;
  readonly clocks = { wallMs: () => Math.floor(this.#wallMs), monotonicMs: () => this.#sinceStartMs };

  pass(ms: number): void {
    this.#wallMs += ms;
    this.#sinceStartMs += ms;
  }

  step(ms: number): void {
    this.#wallMs += ms;
  }
}

describe('the wall clock', () => {
  test('tells microseconds while the clock is not set', () => {
    const machine = new Machine();
    const now = wallClock(machine.clocks);
    machine.pass(0.25);
    expect(now()).toBe(NOON_MS * 1000 + 250);
    machine.pass(10.5);
    expect(now()).toBe(NOON_MS * 1000 + 10_750);
  });

  test.each([
    ['forward', HOUR_MS],
    ['back', -HOUR_MS],
    ['a little forward', 40],
    ['a little back', -40],
  ])('follows a step %s within 100 ms, and moves on from there', (_, stepMs) => {
    const machine = new Machine();
    const now = wallClock(machine.clocks);
    now();
    machine.step(stepMs);
    machine.pass(100);
    expect(now()).toBe((NOON_MS + stepMs + 100) * 1000);
    machine.pass(2.5);
    expect(now()).toBe((NOON_MS + stepMs + 102) * 1000 + 500);
  });

  test('never runs backwards, nor 2 ms off, while the clock is slewed', () => {
    for (const perMs of [-0.0005, 0.0005]) {
      const machine = new Machine();
      const now = wallClock(machine.clocks);
      let last = now();
      for (let turn = 0; turn < 20_000; turn++) {
        machine.pass(37.3);
        machine.step(37.3 * perMs);
        const next = now();
        expect(next).toBeGreaterThanOrEqual(last);
        expect(Math.abs(next / 1000 - machine.clocks.wallMs())).toBeLessThanOrEqual(2);
        last = next;
      }
    }
  });

  test('makes ids that rise whatever steps it takes', () => {
    const machine = new Machine();
    const nowMicros = wallClock(machine.clocks);
    const ids = createIds({ nowMicros }, systemRandom);
    const made: string[] = [];
    for (const stepMs of [0, HOUR_MS, -2 * HOUR_MS, 10, -1, HOUR_MS]) {
      machine.step(stepMs);
      machine.pass(100);
      made.push(...ids.take(50));
    }
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(300);
  });
});

describe('a guarded clock', () => {
  test('reports work that throws or rejects, and fires what comes after it', async () => {
    const manual = new ManualClock();
    const reported: unknown[] = [];
    const clock = guardedClock(manual, (error) => reported.push(error));
    const fired: string[] = [];
    clock.after(1, () => {
      throw new Error('thrown');
    });
    clock.after(2, () => Promise.reject(new Error('rejected')));
    const cancel = clock.after(3, () => fired.push('cancelled'));
    clock.after(4, () => fired.push('last'));
    cancel();
    manual.advance(10);
    await Promise.resolve();
    expect(reported.map(String)).toEqual(['Error: thrown', 'Error: rejected']);
    expect(fired).toEqual(['last']);
  });

  test('tells the time of the clock below it', () => {
    const manual = new ManualClock(5_000_000);
    const clock = guardedClock(manual, () => undefined);
    manual.advance(2);
    expect([clock.nowMicros(), clock.monotonicMs()]).toEqual([5_002_000, 2]);
  });
});
