import { create } from '@bufbuild/protobuf';
import { AgentSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditChain, verifyAuditChain } from '../auth/index.ts';
import { kindContract } from '../controllers/index.ts';
import { changeTrim } from '../features/authoring/manifests/manifests-module.ts';
import { sessionTrim } from '../features/conversation/sessions/session-trim.ts';
import { auditTrim } from '../features/platform/access/access-module.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../features/testing/index.ts';
import { recordKey } from '../resources/index.ts';
import type { SessionRow, WriteTx } from '../store/contracts/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('what is older than its setting', () => {
  let world: ResourceWorld;

  beforeEach(async () => {
    world = await openResourceWorld({ contracts: () => [kindContract({ kind: 'Agent', validate: () => [] })] });
  });
  afterEach(() => world.close());

  const tick = async (settings: object): Promise<readonly string[]> => {
    const { store, audit } = world;
    const deps = {
      store,
      settings: { 'watch.historySeconds': DAY_MS, 'retention.audit': 0, 'retention.sessions': 0, ...settings },
      lifecycle: { remove: (tx: WriteTx, { id }: SessionRow) => tx.log.deleteSession(id) },
      audit,
    };
    const jobs = [changeTrim(deps), ...auditTrim(deps), ...sessionTrim(deps)];
    for (const job of jobs) await job.tick();
    return jobs.map(({ name }) => name);
  };
  const agent = (name: string): Promise<unknown> =>
    world.store.write((tx) =>
      world.writer.put(tx, callContext('test'), {
        key: recordKey('Agent', 'default', name),
        spec: create(AgentSpecSchema),
      }),
    );
  const session = (id: string, more: Partial<SessionRow> = {}): Promise<void> =>
    world.store.write((tx) =>
      tx.log.insertSession({
        ...{ id, namespace: 'default', agent: 'helper', state: 'IDLE', fence: 0, epoch: 0, admission: 0 },
        ...{ createdAt: 1, lastActive: tx.now(), openTurns: 0, activeTurnId: '', lastMessageId: '', lastSequence: 0 },
        ...{ labels: {}, body: '{}' },
        ...more,
      }),
    );

  it('leaves the change log, so that a watch from there has to list again', async () => {
    for (let index = 0; index < 600; index++) await agent(`old-${index}`);
    const { newest: old } = await world.store.direct.resources.versionRange();
    world.clock.advance(DAY_MS + 1);
    await agent('young');
    const { oldest: first } = await world.store.direct.resources.versionRange();
    await tick({});
    const { oldest, newest } = await world.store.direct.resources.versionRange();
    expect(first).toBeLessThan(old - 500);
    expect([oldest, newest]).toEqual([old + 1, old + 1]);
    await agent('younger');
    world.clock.advance(30_000);
    await tick({ 'watch.historySeconds': 0 });
    expect((await world.store.direct.resources.versionRange()).oldest).toBe(old + 1);
  });

  it('stays when only the clock of the machine went by, and goes in time once that is set back', async () => {
    await agent('helper');
    await session('idle');
    await new AuditChain(world.store).tick();
    const kept = { 'watch.historySeconds': HOUR_MS, 'retention.audit': HOUR_MS, 'retention.sessions': HOUR_MS };
    const counts = async (): Promise<readonly number[]> => {
      await tick(kept);
      const sessions = await world.store.read((tx) =>
        tx.log.sessions({ namespace: 'default', agent: 'helper', limit: 5 }),
      );
      const { oldest, newest } = await world.store.direct.resources.versionRange();
      return [sessions.length, (await world.store.direct.audit.list({ limit: 9 })).length, newest - oldest];
    };
    const before = await counts();
    world.clock.stepWallClock(DAY_MS);
    expect(await counts()).toEqual(before);
    world.clock.stepWallClock(-2 * DAY_MS);
    expect(await counts()).toEqual(before);
    world.clock.stepWallClock(DAY_MS);
    world.clock.advance(2 * HOUR_MS);
    // Of the audit record and the log of changes the newest entry stays.
    expect((await counts())[0]).toBe(0);
  });

  it('leaves the audit record, whose chain stays sound; 0 keeps it', async () => {
    for (let index = 0; index < 600; index++) await agent(`a-${index}`);
    await new AuditChain(world.store).tick();
    world.clock.advance(2 * HOUR_MS);
    for (const name of ['b', 'c']) await agent(name);
    await new AuditChain(world.store).tick();
    expect(await tick({})).toEqual(['change-trim']);
    expect((await world.store.direct.audit.list({ limit: 1_000 })).length).toBeGreaterThan(600);
    expect(await tick({ 'retention.audit': HOUR_MS })).toEqual(['change-trim', 'audit-trim']);
    const left = await world.store.direct.audit.list({ limit: 1_000 });
    expect(left.map(({ target }) => target)).toEqual(['Agent/default/c', 'Agent/default/b']);
    expect(await verifyAuditChain(world.store)).toEqual({ verified: 2, open: 0 });
  });

  it('ends sessions that nothing happens to, not those that work, and says so; 0 keeps them', async () => {
    await agent('helper');
    for (let index = 0; index < 120; index++) await session(`idle-${index}`);
    await session('busy', { openTurns: 1, state: 'PROCESSING' });
    world.clock.advance(2 * HOUR_MS);
    await session('young');
    await tick({});
    const left = async () =>
      (await world.store.read((tx) => tx.log.sessions({ namespace: 'default', agent: 'helper', limit: 500 }))).map(
        ({ id }) => id,
      );
    expect((await left()).length).toBe(122);
    expect(await tick({ 'retention.sessions': HOUR_MS })).toEqual(['change-trim', 'session-trim']);
    expect(await left()).toEqual(['young', 'busy']);
    const [record] = await world.store.direct.audit.list({ limit: 1 });
    expect(record).toMatchObject({ identity: 'system', operation: 'retention', outcome: 'deleted' });
    expect(record?.target).toMatch(/^Session\/default\/helper\/idle-\d+$/);
  });
});
