import { afterEach, beforeEach, expect, it } from 'vitest';
import { callContext, openResourceWorld, type ResourceWorld } from '../features/testing/index.ts';
import { AuditChain, auditHash } from './audit-log.ts';

let world: ResourceWorld;

beforeEach(async () => {
  world = await openResourceWorld();
});
afterEach(() => world.close());

const record = (target: string): Promise<void> =>
  world.store.write((tx) =>
    world.audit(tx, callContext('test/Write'), { target, namespace: 'default', resourceVersion: '', outcome: 'ok' }),
  );

it('the chain covers every record in order and is closed afterwards', async () => {
  for (let index = 0; index < 1_100; index++) await record(`Thing/${index}`);
  const chain = new AuditChain(world.store);
  expect(await chain.tick()).toBeGreaterThanOrEqual(1_100);
  expect(await chain.tick()).toBe(0);
  await record('Thing/last');
  expect(await chain.tick()).toBe(1);
  const rows = (await world.store.direct.audit.list({ limit: 5_000 })).toReversed();
  let head = '';
  for (const { hash, ...row } of rows) {
    head = auditHash(head, row);
    expect(hash).toBe(head);
  }
  expect(await world.store.direct.audit.chainHead()).toBe(head);
});

it('a changed record no longer fits its hash', async () => {
  await record('Thing/one');
  const chain = new AuditChain(world.store);
  await chain.tick();
  const [row, before] = await world.store.direct.audit.list({ limit: 2 });
  if (row === undefined) throw new Error('no record');
  expect(auditHash(before?.hash ?? '', { ...row, outcome: 'denied' })).not.toBe(row.hash);
});
