import { SvcError } from '@svc/client/plain';
import { expect, it } from 'vitest';
import type { WireEvent } from '../model/wire.ts';
import { type FollowerParts, StreamFollower } from './stream-follower.ts';

type Step = readonly WireEvent[] | SvcError;

const broken = new SvcError({ code: 'UNAVAILABLE', reason: 'INTERRUPTED', message: 'cut' });
const slow = new SvcError({ code: 'ABORTED', reason: 'SLOW_CONSUMER', message: 'slow' });
const expired = new SvcError({ code: 'OUT_OF_RANGE', reason: 'CURSOR_EXPIRED', message: 'old' });
const refused = new SvcError({ code: 'UNAUTHENTICATED', reason: 'CREDENTIALS_EXPIRED', message: 'over' });
const gone = new SvcError({ code: 'NOT_FOUND', reason: 'SESSION_NOT_FOUND', message: 'gone' });

/** A server that answers each stream with what its script says; after the last one it ends the conversation. */
const followed = async (script: readonly (readonly Step[])[], more: Partial<FollowerParts> = {}) => {
  const left = [...script];
  const log: string[] = [];
  const waits: number[] = [];
  let loads = 0;
  const follower = new StreamFollower({
    environment: {
      random: () => 0,
      clock: {
        nowMs: () => 0,
        after: (delayMs, fire) => {
          waits.push(delayMs);
          queueMicrotask(fire);
          return () => undefined;
        },
      },
    },
    load: async () => {
      loads += 1;
      return `load${loads}`;
    },
    events: async function* (after, { onOpen }) {
      log.push(`from ${after}`);
      const steps = left.shift();
      if (steps === undefined) throw gone;
      if (steps[0] !== refused) onOpen();
      for (const step of steps) {
        if (step instanceof SvcError) throw step;
        yield* step;
      }
    },
    onEvent: ({ cursor, reason }) => log.push(`${cursor}${reason ?? ''}`),
    onConnection: (isOpen) => log.push(isOpen ? 'open' : 'lost'),
    renewAccess: () => false,
    ...more,
  });
  const end = await follower.follow(new AbortController().signal).catch((error: unknown) => error);
  return { log, waits, loads, end };
};

it('continues after the last event that came, whatever cut the stream', async () => {
  const { log, waits, loads, end } = await followed([
    [[{ cursor: 'a' }, { cursor: 'b' }], broken],
    [[{ cursor: '' }, { cursor: 'c' }]],
    [slow],
    [[{ cursor: 'd' }], broken],
    [broken],
  ]);
  expect(log.join(' ').replaceAll(' from', '\nfrom').split('\n')).toEqual([
    'from load1 open a b lost',
    'from b open  c lost',
    'from c open',
    'from c open d lost',
    'from d open lost',
    'from d',
  ]);
  // Half of 100 ms, and of 200 ms where nothing came between two failures. A slow reader does not wait.
  expect(waits).toEqual([50, 50, 0, 50, 100]);
  expect([loads, end]).toEqual([1, gone]);
});

it('loads the conversation again where the server keeps nothing after the cursor', async () => {
  const { log, loads } = await followed([[[{ cursor: 'a' }], expired], [[{ cursor: 'b' }]]]);
  expect(log.filter((line) => line.startsWith('from'))).toEqual(['from load1', 'from load2', 'from b']);
  expect(loads).toBe(2);
});

it('asks for another token once, and gives up when that one is refused too', async () => {
  let renewed = 0;
  const renewAccess = (): boolean => {
    renewed += 1;
    return true;
  };
  const twice = await followed([[refused], [[{ cursor: 'a' }], broken], [refused], [refused]], { renewAccess });
  expect(twice.end).toBe(refused);
  expect(renewed).toBe(2);
  expect((await followed([[refused]])).end).toBe(refused);
});

it('tries to load until it succeeds, and ends when it is told to', async () => {
  const control = new AbortController();
  let tries = 0;
  const load = async (): Promise<string> => {
    tries += 1;
    if (tries === 3) control.abort();
    throw broken;
  };
  const parts = await followed([], { load: async () => Promise.reject(gone) });
  expect(parts.end).toBe(gone);
  const follower = new StreamFollower({
    environment: {
      random: () => 0,
      clock: {
        nowMs: () => 0,
        after: (_delay, fire) => {
          queueMicrotask(fire);
          return () => undefined;
        },
      },
    },
    load,
    events: async function* () {
      yield* [];
    },
    onEvent: () => undefined,
    onConnection: () => undefined,
    renewAccess: () => false,
  });
  await follower.follow(control.signal);
  expect(tries).toBe(3);
});

it('tries at once when the network is back', async () => {
  let tries = 0;
  const control = new AbortController();
  const follower: StreamFollower = new StreamFollower({
    // A wait that only ends when it is broken off.
    environment: { random: () => 0, clock: { nowMs: () => 0, after: () => () => undefined } },
    load: async () => {
      tries += 1;
      if (tries === 2) control.abort();
      setImmediate(() => follower.wake());
      throw broken;
    },
    events: async function* () {
      yield* [];
    },
    onEvent: () => undefined,
    onConnection: () => undefined,
    renewAccess: () => false,
  });
  await follower.follow(control.signal);
  expect(tries).toBe(2);
});

it('throws what is no answer of a server', async () => {
  const odd = new TypeError('a mistake');
  expect((await followed([], { load: () => Promise.reject(odd) })).end).toBe(odd);
});
