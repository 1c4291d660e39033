import { expect, it } from 'vitest';
import { CoalescedRuns } from './coalesced-runs.ts';

/** Runs that end when told to. */
const held = () => {
  const open: PromiseWithResolvers<void>[] = [];
  const passes = new CoalescedRuns(() => {
    const pass = Promise.withResolvers<void>();
    open.push(pass);
    return pass.promise;
  });
  return { open, passes };
};
/** Lets everything run that waits for nothing outside. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('shares one more run among requests that come during one', async () => {
  const { open, passes } = held();
  const first = passes.request();
  const later = Promise.all([passes.request(), passes.request()]);
  open[0]?.resolve();
  await settle();
  expect(open).toHaveLength(2);
  open[1]?.resolve();
  await Promise.all([first, later]);
  expect(open).toHaveLength(2);
});

it('runs again for a request after the end, also after a run that failed', async () => {
  const { open, passes } = held();
  const failing = passes.request();
  open[0]?.reject(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  const again = passes.request();
  await settle();
  open[1]?.resolve();
  await again;
  expect(open).toHaveLength(2);
});

it('does not let a run that failed cost others theirs', async () => {
  const { open, passes } = held();
  const failing = passes.request();
  const later = Promise.all([passes.request(), passes.request()]);
  open[0]?.reject(new Error('no'));
  await expect(failing).rejects.toThrow('no');
  await settle();
  expect(open).toHaveLength(2);
  const last = passes.request();
  open[1]?.resolve();
  await later;
  await settle();
  open[2]?.resolve();
  await last;
  expect(open).toHaveLength(3);
});

it('begins none once it is closed, not even one that was requested', async () => {
  const { open, passes } = held();
  const first = passes.request();
  const second = passes.request();
  passes.close();
  open[0]?.resolve();
  await Promise.all([first, second, passes.request()]);
  expect([open.length, passes.isClosed]).toEqual([1, true]);
});
