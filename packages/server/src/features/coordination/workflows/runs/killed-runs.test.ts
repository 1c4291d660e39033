import { expect, it, onTestFinished } from 'vitest';
import { isGivenDatabase } from '../../../../store/postgres/testing/given-database.ts';
import { textResult } from '../../../../tools/index.ts';
import { RunWorld } from '../testing/index.ts';

/** Longer than a claim of the queue or of a tool call lasts. */
const CLAIM_SECONDS = 61;

/** A run that passes through every status: an agent, a child run with a tool, a retry, a pause and a timed wait. */
const openWorld = async () => {
  const keys: string[] = [];
  const run = async ({ idempotencyKey }: { readonly idempotencyKey: string }) => {
    keys.push(idempotencyKey);
    return textResult('4');
  };
  const schema = { inputSchema: { type: 'object' }, effect: 'write', description: 'x' } as const;
  const world = new RunWorld({ tools: [{ ...schema, name: 'calculate', run }] });
  onTestFinished(() => world.close());
  await world.start();
  await world.put('leaf', { steps: [{ id: 'call', type: 'tool', tool: 'calculate' }], outputJson: '1' });
  const again = '!say {"a":${$.steps.ask.attempt}}';
  const output = { format: 'json', schemaJson: '{"properties":{"a":{"minimum":2}}}' };
  await world.put('flow', {
    steps: [
      { id: 'ask', type: 'agent', agent: 'helper', prompt: again, output, retry: { maxAttempts: 2 } },
      { id: 'down', type: 'workflow', workflow: 'leaf', after: ['ask'] },
      { id: 'go', type: 'pause', prompt: 'go?', after: ['down'] },
      { id: 'rest', type: 'wait', waitDuration: '10s', after: ['go'] },
    ],
    outputJson: '["${$.steps.ask.output.a}","${$.steps.down.output}","${$.steps.go.output}"]',
  });
  return { world, keys };
};

const SAMPLED = isGivenDatabase() ? [3, 8] : [1, 2, 4, 7, 11, 16];

it.each(SAMPLED)(
  'a run whose process dies at its %i. write ends as any other, with one child for each attempt (55)',
  async (at) => {
    for (const side of ['before', 'after'] as const) {
      const { world, keys } = await openWorld();
      const runId = await world.begin('flow');
      const seen = new Set<string>();
      // Every process dies at that write, until one gets as far as the end.
      for (let processes = 0; processes < 60; processes++) {
        const process = world.dyingProcess(at + processes, side);
        await world.settle(process).catch(() => undefined);
        process.runner.close();
        await process.module.calls.close();
        const { status } = await world.state(runId);
        seen.add(status);
        if (status === 'COMPLETED') break;
        if ((await world.steps(runId)).some((step) => step.stepId === 'go' && step.status === 'SUSPENDED'))
          await world.resume(runId, 'go', '"yes"');
        world.clock.advance(CLAIM_SECONDS * 1_000);
      }
      await world.settle();
      const { run } = await world.get(runId);
      expect([run?.status, run?.outputJson]).toEqual(['COMPLETED', '[2,1,"yes"]']);
      expect((await world.runs()).length).toBe(2);
      const started = (await world.events(runId)).filter(({ type }) => type === 'step_started');
      expect(started.map(({ stepId, payload }) => `${stepId} ${payload?.['attempt']}`)).toEqual([
        'ask 1',
        'ask 2',
        'down 1',
        'go 1',
        'rest 1',
      ]);
      expect(new Set(keys).size).toBe(1);
    }
  },
);

it.each(isGivenDatabase() ? [2] : [1, 2, 4])(
  'a cancel reaches every run below, although the processes that stop them die from their %i. write on',
  async (at) => {
    const world = new RunWorld();
    onTestFinished(() => world.close());
    await world.start();
    const down = (workflow: string) => ({ id: 'down', type: 'workflow', workflow });
    await world.put('leaf', { steps: [{ id: 'go', type: 'pause', prompt: 'go?' }] });
    await world.put('middle', { steps: [down('leaf'), { ...down('leaf'), id: 'other' }] });
    await world.put('top', { steps: [down('middle')] });
    const runId = await world.begin('top');
    await world.settle();
    await world.cancel(runId);
    const statuses = async () => [...new Set((await world.runs()).map(({ status }) => status))];
    let processes = 0;
    for (; processes < 60 && (await statuses()).length > 1; processes++) {
      const side = processes % 2 === 0 ? 'before' : 'after';
      const process = world.dyingProcess(at + processes, side);
      await world.settle(process).catch(() => undefined);
      process.runner.close();
      await process.module.calls.close();
      world.clock.advance(CLAIM_SECONDS * 1_000);
    }
    expect([await statuses(), (await world.runs()).length, processes > 1]).toEqual([['CANCELLED'], 4, true]);
    expect(await world.tallies()).toEqual([]);
  },
);
