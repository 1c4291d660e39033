import { create, fromJsonString, type MessageInitShape } from '@bufbuild/protobuf';
import { UsagePolicySpecSchema, UsagePolicyStatusSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIds, seededRandom } from '../../../base/index.ts';
import { recordKey } from '../../../resources/index.ts';
import { type PermissionData, QuotaFault, type TurnUsage } from '../../../runtime/contract.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { PolicyIndex } from './policy-index.ts';
import { usagePolicyContract } from './policy-kind.ts';
import { UsageConditions, usageActivity } from './usage-facts.ts';
import { PolicyMeter } from './usage-meter.ts';

type Limit = NonNullable<MessageInitShape<typeof UsagePolicySpecSchema>['hard']>[number];

const usage = (costMicros: number | undefined): TurnUsage => ({
  inputTokens: 10,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 10,
  reasoningTokens: 0,
  totalTokens: 20,
  usageAvailable: true,
  provider: 'demo',
  model: 'echo',
  ...(costMicros === undefined ? {} : { costMicros }),
});

describe('a limit of money', () => {
  let world: ResourceWorld;
  let policies: PolicyIndex;
  let meter: PolicyMeter;

  beforeEach(async () => {
    policies = new PolicyIndex(() => []);
    world = await openResourceWorld({ contracts: () => [usagePolicyContract({ policies })] });
    const ids = createIds(world.clock, seededRandom(7));
    meter = new PolicyMeter(policies, { ids, audit: world.audit, refused: () => undefined });
    await policies.start(world.store.direct.resources, world.feed);
  });
  afterEach(async () => {
    policies.close();
    await world.close();
  });

  const key = recordKey('UsagePolicy', 'default', 'main');
  const policy = (hard: Limit[], annotations: Record<string, string> = {}) =>
    world.store.write((tx) =>
      world.writer.put(tx, callContext('test'), { key, annotations, spec: create(UsagePolicySpecSchema, { hard }) }),
    );
  const budget = (max: bigint, more: Partial<Limit> = {}): Limit[] => [
    { metric: 'llm.costMicros', max, window: '1h', ...(more as object) },
  ];
  const subject = { namespace: 'default', agent: 'helper', identity: 'ann', provider: 'demo', model: 'echo' };
  const estimate = { promptMicros: 100, tokenMicros: 2, outputTokens: 200 };
  const reserve = (turn: string, about: Partial<typeof estimate> = {}, who = subject): Promise<number | QuotaFault> =>
    world.store
      .write((tx) => meter.reserveCost(tx, who, turn, { ...estimate, ...about }))
      .catch((error: unknown) => {
        if (error instanceof QuotaFault) return error;
        throw error;
      });
  const charge = (turn: string, micros: number | undefined): Promise<void> =>
    world.store.write((tx) => meter.charge(tx, subject, usage(micros), turn));
  const release = (turn: string): Promise<void> => world.store.write((tx) => meter.releaseCost(tx, 'default', turn));
  const shown = async () => {
    const record = (await world.store.direct.resources.get(key))!;
    const facts = { now: () => world.store.now() };
    const found = await usageActivity(facts)(world.store.direct, [record]);
    return fromJsonString(UsagePolicyStatusSchema, found.get(record.uid) ?? '{}').hard[0]!;
  };
  const used = async (): Promise<bigint> => (await shown()).used;

  it('reserves what a call may cost, and puts what it did cost in its place', async () => {
    await policy(budget(1_000n));
    expect([await reserve('t1'), await used()]).toEqual([200, 500n]);
    await charge('t1', 130);
    expect(await used()).toBe(130n);
    await charge('t2', 20);
    expect(await used()).toBe(150n);
  });

  it('lowers the cap of an answer to what is left, and refuses a call without room for one', async () => {
    await policy(budget(1_000n));
    expect([await reserve('t1'), await reserve('t2', { outputTokens: 150 })]).toEqual([200, 150]);
    expect(await used()).toBe(900n);
    expect(await reserve('t3')).toMatchObject({ reason: 'QUOTA_EXCEEDED', metadata: { used: '900', max: '1000' } });
    expect(await reserve('t3', { promptMicros: 20 })).toBe(40);
    await release('t1');
    expect(await reserve('t4', { promptMicros: 400 })).toBe(50);
    expect(await used()).toBe(1_000n);
    expect(await reserve('t5', { promptMicros: 0 })).toBeInstanceOf(QuotaFault);
  });

  it('lets exactly what fits through at any concurrency', async () => {
    await policy(budget(10_000n));
    const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => reserve(`t${index}`)));
    expect(answers.filter((answer) => answer === 200)).toHaveLength(20);
    expect(await used()).toBe(10_000n);
    for (let index = 0; index < 60; index++) await release(`t${index}`);
    expect(await used()).toBe(0n);
  });

  it('reserves the call that repeats one in its place, whatever became of the first', async () => {
    await policy(budget(600n));
    for (let attempt = 0; attempt < 5; attempt++) expect(await reserve('t1')).toBe(200);
    expect(await used()).toBe(500n);
    await release('t1');
    await release('t1');
    expect(await used()).toBe(0n);
  });

  it('frees what was spent when its window has passed, and what was reserved before it too', async () => {
    await policy(budget(600n));
    await charge('t1', 550);
    expect(await reserve('t2')).toBeInstanceOf(QuotaFault);
    world.clock.advance(30 * 60_000);
    expect(await reserve('t2')).toBeInstanceOf(QuotaFault);
    world.clock.advance(32 * 60_000);
    expect(await reserve('t2')).toBe(200);
    world.clock.advance(62 * 60_000);
    await charge('t2', 7);
    expect(await used()).toBe(7n);
  });

  it('lets a model without a price pass, counts it as 0 and names it in a condition', async () => {
    await policy(budget(0n));
    expect(await reserve('t1', { promptMicros: 0, tokenMicros: 0 })).toBe(200);
    await charge('t1', undefined);
    await charge('t2', undefined);
    const facts = { now: () => world.store.now(), store: world.store, writer: () => world.writer, alertPercent: 80 };
    const priced = async (isPriced: boolean): Promise<unknown> => {
      await new UsageConditions({ ...facts, isPriced: () => isPriced }).tick();
      const record = await world.store.direct.resources.get(key);
      const { conditions } = JSON.parse(record?.status ?? '{}') as { conditions: { type: string }[] };
      return conditions.find(({ type }) => type === 'Priced');
    };
    expect(await priced(false)).toMatchObject({
      status: 'False',
      reason: 'ModelWithoutPrice',
      message: 'counted as 0: demo/echo',
    });
    expect(await priced(true)).toMatchObject({ status: 'True' });
    await policy([{ metric: 'tool.calls', max: 1n, window: '1h' }]);
    expect(await priced(false)).toBeUndefined();
  });

  describe('of a policy that asks', () => {
    const asking = { 'option.svc/on-exceeded': 'ask' };
    const answered = (fault: QuotaFault, optionId: string): PermissionData => ({
      id: `request-${optionId}`,
      namespace: 'default',
      agent: 'helper',
      sessionId: 's',
      turnId: 't',
      kind: 'budget',
      toolCallId: '',
      action: 'budget',
      createdAt: 1,
      expiresAt: 2,
      decision: 'ALLOW',
      decidedBy: 'boss',
      decidedAt: 2,
      comment: '',
      optionId,
      prompt: '',
      options: [],
      input: JSON.parse(JSON.stringify(fault.budget?.input)),
    });
    const raise = (fault: QuotaFault, option: string): Promise<void> =>
      world.store.write((tx) => meter.raise(tx, answered(fault, option)));

    it('offers raises, counts one for its identity and window, and shows and audits it', async () => {
      await policy(budget(401n), asking);
      await charge('t1', 400);
      const refused = (await reserve('t2')) as QuotaFault;
      const offered = refused.budget?.options.map(({ id, name, allow }) => [id, name, allow]);
      expect(offered).toEqual([
        ['raise_10', 'Raise by 10 % (41)', true],
        ['raise_50', 'Raise by 50 % (201)', true],
        ['raise_100', 'Raise by 100 % (401)', true],
        ['stop', 'Stop', false],
      ]);
      await raise(refused, 'raise_50');
      await raise(refused, 'raise_50');
      expect(await reserve('t2')).toBe(51);
      const until = BigInt(Math.ceil((world.store.now() + 3_600_000_000) / 1_000_000));
      expect((await shown()).raises).toMatchObject([{ identity: 'ann', amount: 201n, decidedBy: 'boss', until }]);
      const audited = await world.store.direct.audit.list({ limit: 1 });
      expect(audited).toMatchObject([
        { identity: 'boss', target: 'UsagePolicy/default/main', outcome: 'raised by 201 for ann' },
      ]);
      expect(await reserve('t3', {}, { ...subject, identity: 'bob' })).toBeInstanceOf(QuotaFault);
      await release('t2');
      world.clock.advance(3_600_001);
      expect((await shown()).raises).toEqual([]);
    });

    it('adds nothing for an answer that is no raise', async () => {
      await policy(budget(0n), asking);
      const refused = (await reserve('t1')) as QuotaFault;
      for (const option of ['stop', 'raise_7', '']) await raise(refused, option);
      expect((await shown()).raises).toEqual([]);
      await raise(refused, 'raise_10');
      expect((await shown()).raises).toMatchObject([{ amount: 1n }]);
    });

    it('asks nothing where the policy fails turns', async () => {
      await policy(budget(0n));
      expect(await reserve('t1')).toMatchObject({ budget: undefined });
    });
  });
});
