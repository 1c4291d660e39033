import { beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import { UntrustedRequests } from './untrusted-requests.ts';

let clock: ManualClock;
let requests: UntrustedRequests;
let turns: (() => void)[];

beforeEach(() => {
  clock = new ManualClock();
  turns = [];
  requests = new UntrustedRequests(clock, (work) => void turns.push(work));
});

/** How many of `count` requests at once are counted as fair. */
const ask = (account: ReturnType<UntrustedRequests['open']>, count: number): number => {
  let fair = 0;
  for (let asked = 0; asked < count; asked++) if (requests.count(account)) fair += 1;
  return fair;
};

/** Ends this turn of the event loop. */
const nextTurn = (): void => {
  const due = turns;
  turns = [];
  for (const work of due) work();
};

describe('requests without a valid credential', () => {
  test('are fair up to 300 at once and 100 a second on each connection', () => {
    const account = requests.open();
    expect(ask(account, 1000)).toBe(300);
    clock.advance(10_000);
    expect(ask(account, 1000)).toBe(300);
    const steady = requests.open();
    for (let second = 0; second < 60; second++) {
      expect(ask(steady, 90)).toBe(90);
      clock.advance(1000);
    }
  });

  test('are fair up to 5000 at once on all connections; then each has 20', () => {
    for (let flood = 0; flood < 20; flood++) ask(requests.open(), 300);
    expect(ask(requests.open(), 300)).toBe(20);
    clock.advance(10_000);
    expect(ask(requests.open(), 300)).toBe(300);
  });

  test('that turn out to belong to a valid credential are no flood', () => {
    for (let caller = 0; caller < 100; caller++) {
      const account = requests.open();
      expect(ask(account, 200)).toBe(200);
      requests.close(account);
    }
  });

  test('begin in the order they came, 32 in one turn of the event loop, but for those taken back meanwhile', () => {
    const begun: number[] = [];
    const gone = new Set([40, 41]);
    for (let id = 0; id < 100; id++) requests.run({ isGone: () => gone.has(id), begin: () => void begun.push(id) });
    expect(begun).toEqual(Array.from({ length: 32 }, (_, id) => id));
    nextTurn();
    expect(begun.slice(32)).toEqual([...Array(34).keys()].map((id) => id + 32).filter((id) => !gone.has(id)));
    nextTurn();
    nextTurn();
    expect(begun).toHaveLength(98);
    nextTurn();
    expect(turns).toEqual([]);
    requests.run({ isGone: () => false, begin: () => void begun.push(100) });
    expect(begun.at(-1)).toBe(100);
  });
});
