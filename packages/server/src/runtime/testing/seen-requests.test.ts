import { afterEach, beforeEach, expect, it } from 'vitest';
import { Machine } from './machine.ts';

let machine: Machine;
beforeEach(async () => {
  machine = new Machine({});
  await machine.start();
});
afterEach(() => machine.dispose());

const problems = (): Promise<string[]> => machine.seen.problems({ ...machine, models: machine.process.models });

it('every step of a turn is compared with what its model was sent, and one that is not rebuilt is named', async () => {
  const session = await machine.session();
  const { turnId } = await machine.send(session, '!tool look {"n":1}\n!say seen');
  await machine.quiet();
  expect(await problems()).toEqual([]);
  expect(machine.seen.compared).toBe(2);
  for (const { namespace, hash } of await machine.store.read((tx) =>
    tx.promptSources.page('oldest', {}, { limit: 10 }),
  ))
    await machine.store.write((tx) => tx.promptSources.remove({ namespace, hash }));
  expect(await problems()).toEqual([1, 2].map((step) => `request of step ${step} of ${turnId}: SOURCE_EXPIRED`));
});
