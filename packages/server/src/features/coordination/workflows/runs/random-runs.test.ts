import { afterEach, expect, it } from 'vitest';
import { seededRandom } from '../../../../base/index.ts';
import { isGivenDatabase } from '../../../../store/postgres/testing/given-database.ts';
import type { Tool } from '../../../../tools/index.ts';
import { isRunOver, type RunEvent } from '../record/index.ts';
import { childFlows, type RandomFlow, RunWorld, randomFlow } from '../testing/index.ts';

/** Runs that are under way at once, and how many such rounds there are: on PostgreSQL each costs ten times as much. */
const AT_ONCE = 50;
const ROUNDS = isGivenDatabase() ? 1 : 10;
/** Longer than a claim of the queue or of a tool call lasts. */
const CLAIM_SECONDS = 61;

/** Idempotency keys of calls that were made although their results were recorded. */
const repeated: string[] = [];
const tool = (name: string, isError: boolean): Tool => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  effect: 'write',
  run: async ({ idempotencyKey }, input) => {
    const [runId = '', stepId] = idempotencyKey.split('/');
    const step = (await world.steps(runId)).find((one) => one.stepId === stepId);
    if (step?.status === 'COMPLETED' || step?.status === 'FAILED') repeated.push(idempotencyKey);
    return { content: [{ type: 'text', text: 'see the data' }], structured: input, isError };
  },
});

let world: RunWorld;
afterEach(() => world.close());

/** What holds at every event of a run, whatever else happened. */
const checkEvents = (events: readonly RunEvent[], { spec, steps }: RandomFlow): void => {
  const after = new Map(steps.map((step) => [step.id, step.after]));
  const over = new Set<string>();
  const live = new Set<string>();
  const begun = new Set<string>();
  for (const [index, { type, stepId = '', payload }] of events.entries()) {
    const isLast = index === events.length - 1;
    expect([type, isLast]).toEqual([type, /^run_(completed|failed|cancelled)$/.test(type)]);
    if (type === 'step_started') {
      // No step begins before what it waits for has ended, no attempt twice, and none again after its result.
      expect((after.get(stepId) ?? []).filter((id) => !over.has(id))).toEqual([]);
      expect([...begun]).not.toContain(`${stepId} ${payload?.['attempt']}`);
      expect([...over]).not.toContain(stepId);
      begun.add(`${stepId} ${payload?.['attempt']}`);
      live.add(stepId);
      if ((spec.concurrency ?? 0) > 0) expect(live.size).toBeLessThanOrEqual(spec.concurrency ?? 0);
    }
    if (/^step_(completed|skipped|failed|cancelled)$/.test(type)) {
      expect([...over]).not.toContain(stepId);
      over.add(stepId);
      live.delete(stepId);
    }
  }
};

const checkRun = async (runId: string, flow: RandomFlow): Promise<void> => {
  const { run, steps } = await world.get(runId);
  expect([run?.status, run?.error]).toEqual([flow.status, flow.status === 'FAILED' ? expect.any(String) : '']);
  if (flow.status === 'COMPLETED') expect(JSON.parse(run?.outputJson ?? '')).toEqual(flow.output);
  const found = new Map(steps.map((step) => [step.stepId, step.status]));
  for (const { id, status } of flow.steps) {
    const actual = found.get(id) ?? 'NONE';
    const allowed = flow.status === 'COMPLETED' ? [status] : [status, 'CANCELLED', 'NONE'];
    expect(allowed).toContain(status === 'NONE' && actual !== 'NONE' ? 'began' : actual);
  }
  expect(steps.filter(({ status }) => status === 'FAILED').length).toBe(flow.status === 'FAILED' ? 1 : 0);
  checkEvents(await world.events(runId), flow);
};

/** Has the people of a run answer what it waits for. */
const answer = async (runId: string, flow: RandomFlow): Promise<void> => {
  for (const { stepId, status } of await world.steps(runId)) {
    const { resume } = flow.steps.find(({ id }) => id === stepId) ?? {};
    if (status === 'SUSPENDED' && resume !== undefined) await world.resume(runId, stepId, resume);
  }
};

it('random runs end as a direct interpreter says, whenever their processes die (56)', async () => {
  world = new RunWorld({ tools: [tool('read_file', false), tool('list_files', true)] });
  await world.start();
  await world.namespace('files:read,files:inspect');
  for (const [name, spec] of Object.entries(childFlows)) await world.put(name, spec);
  const seeded = seededRandom(20);
  const random = (): number => seeded.next();
  for (let round = 0; round < ROUNDS; round++) {
    const open = new Map<string, RandomFlow>();
    for (let index = 0; index < AT_ONCE; index++) {
      const flow = randomFlow(random);
      await world.put(`flow-${index}`, flow.spec);
      open.set(await world.begin(`flow-${index}`), flow);
    }
    for (let deaths = 0; open.size > 0; deaths++) {
      expect(deaths).toBeLessThan(300);
      const at = deaths < 12 ? 1 + Math.floor(random() * 60) : 1_000_000;
      const process = world.dyingProcess(at, random() < 0.5 ? 'before' : 'after');
      // A process that dies fails in whatever it was doing.
      await world.settle(process).catch(() => undefined);
      process.runner.close();
      await process.module.calls.close();
      for (const [runId, flow] of open) {
        if (!isRunOver(await world.state(runId))) await answer(runId, flow);
        else {
          await checkRun(runId, flow);
          open.delete(runId);
        }
      }
      world.clock.advance(CLAIM_SECONDS * 1_000);
    }
  }
  await world.settle();
  expect((await world.runs()).filter((run) => !isRunOver(run))).toEqual([]);
  expect(await world.tallies()).toEqual([]);
  expect(repeated).toEqual([]);
});
