import { afterEach, beforeEach, expect, it } from 'vitest';
import { RunWorld } from '../testing/index.ts';

const RUNS = 1_000;

let world: RunWorld;
beforeEach(async () => {
  world = new RunWorld();
  await world.start();
});
afterEach(() => world.close());

it('a thousand runs at once end with their own values, each step once, with two processes at work', async () => {
  await world.put('flow', {
    steps: [
      { id: 'ask', type: 'agent', agent: 'helper', prompt: '!say {"n": ${$.input.n}}', output: { format: 'json' } },
      { id: 'keep', type: 'transform', after: ['ask'], inputJson: '{"n":"${$.steps.ask.output.n}"}' },
      { id: 'wait', type: 'wait', after: ['keep'], waitDuration: '60s' },
    ],
    outputJson: '"${$.steps.keep.output.n}"',
  });
  const second = world.processOn(world.store);
  const settle = () => Promise.all([world.settle(), world.settle(second)]);
  const ids = await Promise.all(Array.from({ length: RUNS }, (_, n) => world.begin('flow', { n })));
  await settle();
  const waiting = await world.runs();
  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['SUSPENDED']));
  world.clock.advance(60_000);
  await settle();
  const outputs = new Map(world.ended.map(({ run, output }) => [run.id, `${run.status} ${String(output)}`]));
  expect(world.ended).toHaveLength(RUNS);
  expect(ids.map((id) => outputs.get(id))).toEqual(ids.map((_, n) => `COMPLETED ${n}`));
  const once = ['run_started', 'step_completed', 'step_completed', 'step_completed', 'run_completed'];
  for (const id of ids.filter((_, n) => n % 50 === 0)) {
    const types = (await world.events(id)).map(({ type }) => type);
    expect(
      types.filter((type) => type !== 'step_started' && type !== 'run_suspended' && type !== 'run_resumed'),
    ).toEqual(once);
  }
  expect(await world.tallies()).toEqual([]);
  second.runner.close();
  await second.module.calls.close();
});
