import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callContext, openResourceWorld, type ResourceWorld } from '../features/testing/index.ts';
import { changeGivenStore } from '../store/testing/given-store.ts';
import { AuditChain, verifyAuditChain } from './index.ts';

const RECORDS = 1_100;
let world: ResourceWorld;
let before: number;

const record = (count: number): Promise<void> =>
  world.store.write(async (tx) => {
    for (let index = 0; index < count; index++)
      await world.audit(tx, callContext('test/Write'), {
        ...{ target: `Thing/${index}`, namespace: 'default', resourceVersion: '', outcome: 'ok' },
      });
  });

/** Changes what is stored behind the server's back, as someone with access to it would. */
const tamper = (sql: string): Promise<void> => changeGivenStore(world.dataDir, sql);

beforeEach(async () => {
  world = await openResourceWorld();
  await record(RECORDS);
  await new AuditChain(world.store).tick();
  before = (await verifyAuditChain(world.store)).verified;
});
afterEach(() => world.close());

it('a chain that nobody touched is sound, and what is not chained yet is counted', async () => {
  expect(before).toBeGreaterThanOrEqual(RECORDS);
  await record(3);
  expect(await verifyAuditChain(world.store)).toEqual({ verified: before, open: 3 });
});

it('an empty log is sound', async () => {
  await tamper('DELETE FROM audit; DELETE FROM audit_chain');
  expect(await verifyAuditChain(world.store)).toEqual({ verified: 0, open: 0 });
});

it('records that retention removed leave the rest sound', async () => {
  await tamper('DELETE FROM audit WHERE position <= 700; DELETE FROM audit_chain WHERE position <= 700');
  expect(await verifyAuditChain(world.store)).toEqual({ verified: before - 700, open: 0 });
});

describe('tampering is found:', () => {
  it.each([
    ['a changed record', `UPDATE audit SET identity = 'nobody' WHERE position = 300`],
    ['a record without its hash', 'DELETE FROM audit_chain WHERE position = 300'],
    ['a removed record', 'DELETE FROM audit WHERE position = 300; DELETE FROM audit_chain WHERE position = 300'],
    [
      'two records that changed places',
      `UPDATE audit SET position = -1 WHERE position = 300; UPDATE audit SET position = 300 WHERE position = 301;
       UPDATE audit SET position = 301 WHERE position = -1`,
    ],
    [
      'an inserted record',
      `UPDATE audit SET position = -position WHERE position > 300; UPDATE audit SET position = 1 - position WHERE position < 0;
       INSERT INTO audit SELECT 301, 'x', at, request_id, identity, operation, target, namespace, outcome, resource_version
       FROM audit WHERE position = 300`,
    ],
    ['removed newest records', 'DELETE FROM audit WHERE position > 1000'],
    ['all records removed', 'DELETE FROM audit'],
  ])('%s', async (_, sql) => {
    await tamper(sql);
    expect((await verifyAuditChain(world.store)).broken).toBeDefined();
  });
});
