import { create, fromJsonString, type MessageInitShape } from '@bufbuild/protobuf';
import { type UsageLimitStatus, UsagePolicySpecSchema, UsagePolicyStatusSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIds, isFault, seededRandom } from '../../../base/index.ts';
import { recordKey } from '../../../resources/index.ts';
import type { TurnUsage, UsageMetric } from '../../../runtime/contract.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { PolicyIndex } from './policy-index.ts';
import { usagePolicyContract } from './policy-kind.ts';
import { UsageConditions, usageActivity } from './usage-facts.ts';
import { PolicyMeter } from './usage-meter.ts';

type Limit = NonNullable<MessageInitShape<typeof UsagePolicySpecSchema>['hard']>[number];

const isPriced = (model: string): boolean => model === 'demo/priced';

const usage = (totalTokens: number): TurnUsage => ({
  inputTokens: totalTokens,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens,
  usageAvailable: true,
  provider: 'demo',
  model: 'echo',
});

describe('the usage meter', () => {
  let world: ResourceWorld;
  let policies: PolicyIndex;
  let meter: PolicyMeter;
  let refused: string[];
  const meterOf = (heard: (metric: string) => void): PolicyMeter =>
    new PolicyMeter(policies, { ids: createIds(world.clock, seededRandom(7)), audit: world.audit, refused: heard });

  beforeEach(async () => {
    policies = new PolicyIndex((namespace) => (namespace === 'default:sub' ? ['default'] : []));
    refused = [];
    world = await openResourceWorld({ contracts: () => [usagePolicyContract({ policies })] });
    meter = meterOf((metric) => void refused.push(metric));
    await policies.start(world.store.direct.resources, world.feed);
  });
  afterEach(async () => {
    policies.close();
    await world.close();
  });

  const key = recordKey('UsagePolicy', 'default', 'main');
  const policy = (hard: Limit[], namespaceScope = ''): Promise<StoredResource> =>
    world.store.write(
      async (tx) =>
        (
          await world.writer.put(tx, callContext('test'), {
            key,
            spec: create(UsagePolicySpecSchema, { hard, namespaceScope }),
          })
        ).resource,
    );
  const subject = { namespace: 'default', agent: 'helper', identity: 'ann', provider: 'demo', model: 'echo' };
  let next = 0;
  const reserve = (metric: UsageMetric, more: Partial<typeof subject> = {}, id = `call-${next++}`): Promise<string> =>
    world.store
      .write((tx) => meter.reserve(tx, metric, { ...subject, ...more }, id))
      .then(
        () => 'ok',
        (error: unknown) => (isFault(error) ? error.reason : String(error)),
      );
  const facts = () => ({ now: () => world.store.now() });
  const shown = async (): Promise<readonly UsageLimitStatus[]> => {
    const record = (await world.store.direct.resources.get(key)) as StoredResource;
    const found = await usageActivity(facts())(world.store.direct, [record]);
    return fromJsonString(UsagePolicyStatusSchema, found.get(record.uid) ?? '{}').hard;
  };

  it('reports each refusal with its metric', async () => {
    await policy([{ metric: 'tool.calls', max: 1n, window: '1m' }]);
    expect([await reserve('tool.calls'), refused]).toEqual(['ok', []]);
    expect([await reserve('tool.calls'), await reserve('tool.calls')]).toEqual(['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED']);
    expect(refused).toEqual(['tool.calls', 'tool.calls']);
  });

  it('governs only where a policy applies', async () => {
    expect(meter.governs('default')).toBe(false);
    expect(await reserve('tool.calls')).toBe('ok');
    await policy([{ metric: 'tool.calls', max: 1n, window: '1m' }]);
    expect([meter.governs('default'), meter.governs('default:sub'), meter.governs('other')]).toEqual([
      true,
      true,
      false,
    ]);
    await policy([{ metric: 'tool.calls', max: 1n, window: '1m' }], 'self');
    expect([meter.governs('default'), meter.governs('default:sub')]).toEqual([true, false]);
    await world.store.write((tx) => world.writer.remove(tx, callContext('test'), { key }));
    expect(meter.governs('default')).toBe(false);
    await policy([{ metric: 'tool.calls', max: 1n, window: '1m' }]);
    const late = new PolicyIndex(() => []);
    await late.start(world.store.direct.resources, world.feed);
    expect([late.limitsFor('default').length, late.longestWindowMicros()]).toEqual([1, 60_000_000]);
    await world.store.write((tx) => world.writer.remove(tx, callContext('test'), { key }));
    await world.feed.tick();
    expect(late.limitsFor('default')).toEqual([]);
    late.close();
  });

  it('never lets more than max through in any window, and lets on when the window has passed', async () => {
    await policy([{ metric: 'tool.calls', max: 3n, window: '1m' }]);
    const first = await Promise.all(Array.from({ length: 10 }, () => reserve('tool.calls')));
    expect(first.filter((answer) => answer === 'ok')).toHaveLength(3);
    expect(first.filter((answer) => answer === 'QUOTA_EXCEEDED')).toHaveLength(7);
    world.clock.advance(59_000);
    expect(await reserve('tool.calls')).toBe('QUOTA_EXCEEDED');
    world.clock.advance(2_001);
    expect(await reserve('tool.calls')).toBe('ok');
    expect(await reserve('agent.sessions')).toBe('ok');
  });

  it('says what is used up and when it falls', async () => {
    await policy([{ metric: 'tool.calls', max: 0n, window: '1h' }]);
    const refused = world.store.write((tx) => meter.reserve(tx, 'tool.calls', subject, 'x'));
    await expect(refused).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'QUOTA_EXCEEDED',
      metadata: { metric: 'tool.calls', policy: 'default/main', used: '0', max: '0' },
      message: expect.stringMatching(
        /^the quota of tool\.calls is used up: 0 of 0 \(policy default\/main, free again at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)$/,
      ),
    });
  });

  it('follows the clock of the machine forward and back, and counts what is within', async () => {
    await policy([{ metric: 'tool.calls', max: 1n, window: '1h' }]);
    const windowStart = async (): Promise<number> => Number((await shown())[0]?.windowStart ?? 0n);
    const tried: string[] = [];
    for (const stepMs of [0, 2 * 3_600_000, -4 * 3_600_000, 1_800_000]) {
      world.clock.stepWallClock(stepMs);
      tried.push(await reserve('tool.calls'), await reserve('tool.calls'));
      expect(Math.abs((await windowStart()) - world.clock.nowMicros() / 1_000_000)).toBeLessThan(3_700);
    }
    // The last step leads half an hour behind the third call, which is within again.
    const [ok, full] = ['ok', 'QUOTA_EXCEEDED'];
    expect(tried).toEqual([ok, full, ok, full, ok, full, full, full]);
  });

  it('counts what another node counts whose clock is a little ahead', async () => {
    await policy([{ metric: 'tool.calls', max: 1n, window: '1m' }]);
    world.clock.stepWallClock(2_000);
    expect(await reserve('tool.calls')).toBe('ok');
    world.clock.stepWallClock(-2_000);
    expect(await reserve('tool.calls')).toBe('QUOTA_EXCEEDED');
  });

  it('counts a repeated reservation once, and gives one back', async () => {
    await policy([{ metric: 'llm.requests', max: 1n, window: '1m' }]);
    expect([await reserve('llm.requests', {}, 'a'), await reserve('llm.requests', {}, 'a')]).toEqual(['ok', 'ok']);
    expect(await reserve('llm.requests', {}, 'b')).toBe('QUOTA_EXCEEDED');
    const giveBack = () => world.store.write((tx) => meter.giveBack(tx, 'llm.requests', subject, 'a'));
    await giveBack();
    await giveBack();
    expect((await shown())[0]).toMatchObject({ used: 0n });
    expect([await reserve('llm.requests', {}, 'a'), await reserve('llm.requests', {}, 'a')]).toEqual(['ok', 'ok']);
    expect((await shown())[0]).toMatchObject({ used: 1n });
  });

  it('counts each call once however often its reservation and its return are repeated', async () => {
    await policy([{ metric: 'llm.requests', max: 1n, window: '1m' }]);
    // Bit by bit: whether the commit of that step was not answered and the step was asked for again.
    for (let pattern = 0; pattern < 2 ** 6; pattern++) {
      const isRepeated = (step: number): boolean => (pattern >> step) % 2 === 1;
      for (let round = 0; round < 3; round++) {
        for (let time = 0; time <= Number(isRepeated(2 * round)); time++)
          expect(await reserve('llm.requests', {}, `a-${pattern}`)).toBe('ok');
        expect((await shown())[0]).toMatchObject({ used: 1n });
        for (let time = 0; time <= Number(isRepeated(2 * round + 1)); time++)
          await world.store.write((tx) => meter.giveBack(tx, 'llm.requests', subject, `a-${pattern}`));
        expect((await shown())[0]).toMatchObject({ used: 0n });
      }
    }
  });

  it('raises all counters or none', async () => {
    await policy([
      { metric: 'tool.calls', max: 5n, window: '1m' },
      { metric: 'tool.calls', max: 0n, window: '1h' },
    ]);
    expect(await reserve('tool.calls')).toBe('QUOTA_EXCEEDED');
    expect((await shown()).map((limit) => limit.used)).toEqual([0n, 0n]);
  });

  it('shares a counter among limits that differ only in max', async () => {
    await policy([
      { metric: 'tool.calls', max: 5n, window: '60s' },
      { metric: 'tool.calls', max: 2n, window: '1m' },
    ]);
    expect([await reserve('tool.calls'), await reserve('tool.calls'), await reserve('tool.calls')]).toEqual([
      'ok',
      'ok',
      'QUOTA_EXCEEDED',
    ]);
    expect((await shown()).map((limit) => limit.used)).toEqual([2n, 2n]);
  });

  it('separates identities, agents and models, and shows the hottest identity', async () => {
    await policy([
      { metric: 'llm.requests', max: 2n, window: '1m', subjectScope: 'subject' },
      { metric: 'llm.requests', max: 1n, window: '1m', selector: { agent: 'other' } },
      { metric: 'llm.requests', max: 0n, window: '1m', selector: { provider: 'demo', model: 'big' } },
      { metric: 'tool.calls', max: 1n, window: '1m', selector: { model: 'nothing' } },
    ]);
    expect([await reserve('llm.requests'), await reserve('llm.requests'), await reserve('llm.requests')]).toEqual([
      'ok',
      'ok',
      'QUOTA_EXCEEDED',
    ]);
    expect(await reserve('llm.requests', { identity: 'bob' })).toBe('ok');
    expect(await reserve('llm.requests', { identity: 'eve', model: 'big' })).toBe('QUOTA_EXCEEDED');
    expect([await reserve('tool.calls'), await reserve('tool.calls')]).toEqual(['ok', 'QUOTA_EXCEEDED']);
    const hottest = { subjectScope: 'identity', used: 2n, remaining: 0n, exceeded: true };
    expect((await shown())[0]).toMatchObject(hottest);
  });

  it('shows the hottest identity also when others have counted it, before a restart or elsewhere', async () => {
    await policy([{ metric: 'tool.calls', max: 5n, window: '1m', subjectScope: 'identity' }]);
    const [first] = await shown();
    expect(first).toMatchObject({ used: 0n, remaining: 5n });
    for (const identity of ['ann', 'bob', 'bob', 'a|b']) await reserve('tool.calls', { identity });
    meter = meterOf(() => undefined);
    expect((await shown())[0]).toMatchObject({ used: 2n, remaining: 3n, exceeded: false });
    world.clock.advance(62_000);
    expect((await shown())[0]).toMatchObject({ used: 0n, remaining: 5n });
  });

  it('charges tokens afterwards and refuses the next call beforehand', async () => {
    await policy([{ metric: 'llm.totalTokens', max: 100n, window: '1m' }]);
    expect(await reserve('llm.requests')).toBe('ok');
    await world.store.write((tx) => meter.charge(tx, subject, usage(150), 'turn'));
    expect(await reserve('llm.requests')).toBe('QUOTA_EXCEEDED');
    expect((await shown())[0]).toMatchObject({
      metric: 'llm.totalTokens',
      used: 150n,
      remaining: 0n,
      exceeded: true,
    });
  });

  it('shows near and reached limits as conditions', async () => {
    const stored = await policy([{ metric: 'tool.calls', max: 5n, window: '1m' }]);
    expect(JSON.parse(stored.status)).toMatchObject({ phase: 'Active' });
    const job = new UsageConditions({
      ...facts(),
      store: world.store,
      writer: () => world.writer,
      alertPercent: 80,
      isPriced,
    });
    const conditions = async (): Promise<string[]> => {
      await job.tick();
      const record = await world.store.direct.resources.get(key);
      const status = JSON.parse(record?.status ?? '{}') as { conditions: { type: string; status: string }[] };
      return status.conditions.map((condition) => `${condition.type} ${condition.status}`);
    };
    expect(await conditions()).toEqual(['Ready True', 'Validated True', 'Alert False', 'Exceeded False']);
    const { newest } = await world.store.direct.resources.versionRange();
    for (let index = 0; index < 3; index++) await reserve('tool.calls');
    await conditions();
    expect((await world.store.direct.resources.versionRange()).newest).toBe(newest);
    await reserve('tool.calls');
    expect(await conditions()).toEqual(['Ready True', 'Validated True', 'Alert True', 'Exceeded False']);
    await reserve('tool.calls');
    expect(await conditions()).toEqual(['Ready True', 'Validated True', 'Alert True', 'Exceeded True']);
  });
});
