import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type ReportUsageRequest, ReportUsageRequestSchema, type ReportUsageResponse } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TurnUsage } from '../../../runtime/contract.ts';
import { callContext, openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { usageOperations } from './usage-operations.ts';
import { dayOf, foldUsage, recordUsage, trimDays } from './usage-records.ts';

const used = (costMicros: number | undefined, model = 'echo'): TurnUsage => ({
  inputTokens: 10,
  cachedInputTokens: 4,
  cacheWriteTokens: 0,
  outputTokens: 5,
  reasoningTokens: 2,
  totalTokens: 15,
  usageAvailable: true,
  provider: 'demo',
  model,
  ...(costMicros === undefined ? {} : { costMicros }),
});

describe('the usage report', () => {
  let world: ResourceWorld;
  let next = 0;

  beforeEach(async () => {
    world = await openResourceWorld();
  });
  afterEach(() => world.close());

  const record = (agent: string, usage: TurnUsage, more: { namespace?: string; identity?: string } = {}) => {
    const subject = { namespace: 'default', agent, identity: 'ann', ...more };
    next += 1;
    return world.store.write((tx) => recordUsage(tx, { id: `r${next}`, subject, usage }));
  };
  const report = async (init: MessageInitShape<typeof ReportUsageRequestSchema> = {}): Promise<ReportUsageResponse> => {
    const [operation] = usageOperations({
      store: world.store,
      descendants: async () => ['default:sub'],
      authorizer: { allows: () => true },
    });
    const { handle } = operation as unknown as {
      handle(request: ReportUsageRequest, context: unknown): Promise<ReportUsageResponse>;
    };
    return handle(create(ReportUsageRequestSchema, { ns: 'default', ...init }), callContext('test'));
  };
  const names = async (init?: MessageInitShape<typeof ReportUsageRequestSchema>): Promise<readonly string[]> =>
    (await report(init)).rows.map((row) => row.name);

  it('says the same before and after calls are added to their days, however often that is done', async () => {
    await record('a', used(10));
    await record('a', used(undefined));
    await record('b', used(7), { identity: 'bob' });
    const before = await report();
    expect(before.rows).toMatchObject([
      { name: 'a', requests: 2n, inputTokens: 20n, costMicros: 10n, unpricedRequests: 1n },
      { name: 'b', requests: 1n, costMicros: 7n },
    ]);
    expect(before.total).toMatchObject({ requests: 3n, totalTokens: 45n, costMicros: 17n });
    await Promise.all([foldUsage(world.store), foldUsage(world.store)]);
    await record('a', used(1));
    await foldUsage(world.store);
    expect(await world.store.direct.usageRecords.page('oldest', {}, { limit: 5 })).toEqual([]);
    const after = await report();
    expect(after.total).toMatchObject({ requests: 4n, costMicros: 18n });
    expect(after.rows[0]).toMatchObject({ name: 'a', requests: 3n });
  });

  it('covers whole days, and keeps to what was asked for', async () => {
    await record('a', used(10));
    world.clock.advance(3 * 86_400_000);
    await record('a', used(5, 'large'));
    await record('a', used(5), { namespace: 'default:sub', identity: 'bob' });
    await foldUsage(world.store);
    const now = BigInt(world.store.now());
    expect((await report({ by: 'day' })).rows.map(({ costMicros }) => costMicros)).toEqual([10n, 5n]);
    expect((await report({ since: now })).total).toMatchObject({ costMicros: 5n });
    expect((await report({ until: now - 86_400_000_000n })).total).toMatchObject({ costMicros: 10n });
    expect((await report({ recursive: true })).total).toMatchObject({ costMicros: 20n });
    expect(await names({ by: 'model' })).toEqual(['demo/echo', 'demo/large']);
    expect(await names({ by: 'model', model: 'demo/large' })).toEqual(['demo/large']);
    expect(await names({ by: 'identity', recursive: true, identity: 'bob' })).toEqual(['bob']);
    expect(await names({ agent: 'nobody' })).toEqual([]);
    expect(await names({ by: 'namespace', recursive: true, limit: 1 })).toEqual(['']);
  });

  it.each([
    ['by', { by: 'moon' }],
    ['limit', { limit: -1 }],
    ['limit', { limit: 1_001 }],
    ['since', { since: 86_400_000_000n, until: 1n }],
  ])('refuses a wrong %s', async (field, init) => {
    await expect(report(init)).rejects.toMatchObject({ violations: [{ field }] });
  });

  it('refuses a namespace that is not there and has used nothing', async () => {
    await expect(report({ ns: 'nowhere' })).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    await record('a', used(10), { namespace: 'nowhere' });
    expect((await report({ ns: 'nowhere' })).total).toMatchObject({ requests: 1n });
  });

  it('forgets days that are not kept any more', async () => {
    await record('a', used(10));
    await foldUsage(world.store);
    const today = dayOf(world.store.now());
    await world.store.write((tx) => trimDays(tx, today, 10));
    expect(await names()).toEqual(['a']);
    await world.store.write((tx) => trimDays(tx, today + 1, 10));
    expect(await names()).toEqual([]);
  });
});
