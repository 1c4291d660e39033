import {
  type ChannelSubscriptionResponse,
  GatewayService,
  type ListChannelSubscriptionsResponse,
} from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordKey } from '../../../../resources/index.ts';
import { type ChannelWorld, openChannelWorld } from '../testing/index.ts';
import { contextSize, replyModeOf } from './subscription-rules.ts';

const { method } = GatewayService;
const ORIGIN = { requestId: '', operation: 'test', caller: { identity: 'test' } };

describe('subscriptions of channels', () => {
  let world: ChannelWorld;

  beforeEach(async () => {
    world = await openChannelWorld({ subscriptionsMax: 3 });
    await world.makeChannel('ops');
  });
  afterEach(() => world.close());

  const address = { ns: 'default', channel: 'ops' };
  const read = (name: string): Promise<ChannelSubscriptionResponse> =>
    world.call(method.getChannelSubscription, { ...address, name });
  const modify = (name: string, spec: object): Promise<ChannelSubscriptionResponse> =>
    world.call(method.modifyChannelSubscription, { ...address, name, subscription: { spec } } as never);
  const list = (more: object = {}): Promise<ListChannelSubscriptionsResponse> =>
    world.call(method.listChannelSubscriptions, { ...address, ...more });
  const conditions = ({ subscription }: ChannelSubscriptionResponse) =>
    subscription?.status?.conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);

  it('are filled with defaults and say that nothing runs them', async () => {
    const made = await world.subscribe('ops', 'desk');
    expect(made.subscription?.spec).toMatchObject({
      ...{ channel: 'ops', agent: 'helper', enabled: true, trigger: 'mention', replyMode: 'tool' },
      contextPolicy: { mode: 'recent_public', maxMessages: 20 },
    });
    expect(made.subscription?.status?.phase).toBe('Ready');
    expect(conditions(made)).toEqual([
      'Ready True Ready',
      'Accepted True Accepted',
      'ReferencesResolved True Resolved',
    ]);
    expect(await read('desk')).toEqual(made);
  });

  it('normalise words and counts', async () => {
    const spec = { trigger: ' ALL ', replyMode: ' Auto ', contextPolicy: { mode: 'none', maxMessages: 1_000 } };
    const { subscription } = await world.subscribe('ops', 'desk', spec);
    expect(subscription?.spec).toMatchObject({
      ...{ trigger: 'all', replyMode: 'auto', contextPolicy: { mode: 'none', maxMessages: 50 } },
    });
    expect([contextSize(subscription!.spec!), replyModeOf(subscription!.spec!)]).toEqual([0, 'auto']);
    const again = await modify('desk', { agent: 'helper', contextPolicy: { maxMessages: 0 }, enabled: false });
    expect(again.subscription?.spec?.contextPolicy?.maxMessages).toBe(20);
    expect(again.subscription?.status?.phase).toBe('Disabled');
    expect((await modify('desk', { agent: 'helper', trigger: 'disabled' })).subscription?.status?.phase).toBe(
      'Disabled',
    );
  });

  it('store unknown modes, which act as the default and show in Accepted', async () => {
    const reply = await world.subscribe('ops', 'a', { replyMode: 'shout' });
    expect(reply.subscription?.spec?.replyMode).toBe('shout');
    expect(replyModeOf(reply.subscription!.spec!)).toBe('tool');
    expect(conditions(reply)).toContain('Accepted True UnknownReplyMode');
    const context = await world.subscribe('ops', 'b', { contextPolicy: { mode: 'all' } });
    expect(conditions(context)).toContain('Accepted True UnknownContextMode');
    expect(contextSize(context.subscription!.spec!)).toBe(20);
    expect(contextSize({})).toBe(20);
  });

  it('name all faults of a spec at once', async () => {
    const spec = {
      ...{
        channel: 'other',
        agent: '',
        trigger: 'always',
        replyMode: 'x'.repeat(64),
        metadata: { k: 'x'.repeat(4_097) },
      },
      contextPolicy: { mode: 'y'.repeat(64) },
    };
    const failure = (await world.subscribe('ops', 'desk', spec).catch((error: unknown) => error)) as {
      violations: { field: string; reason: string }[];
    };
    const expected = [
      'spec.channel PATH_BODY_MISMATCH',
      'spec.agent FIELD_INVALID',
      'spec.trigger TRIGGER',
      'spec.replyMode FIELD_INVALID',
      'spec.contextPolicy.mode FIELD_INVALID',
      'spec.metadata[k] TOO_LARGE',
    ];
    const shown = (violations: { field: string; reason: string }[]) =>
      violations.map(({ field, reason }) => `${field} ${reason}`);
    expect(shown(failure.violations)).toEqual(expected);
    const named = (await world.subscribe('ops', '..', spec).catch((error: unknown) => error)) as typeof failure;
    expect(shown(named.violations)).toEqual(['metadata.name NAME_INVALID', ...expected]);
  });

  it('need their channel and an agent of the namespace', async () => {
    await expect(world.subscribe('none', 's')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      reason: 'CHANNEL_NOT_FOUND',
    });
    await expect(world.subscribe('ops', 's', { agent: 'nobody' })).rejects.toMatchObject({ reason: 'AGENT_NOT_FOUND' });
    await world.subscribe('ops', 's');
    await expect(world.subscribe('ops', 's')).rejects.toMatchObject({ reason: 'CHANNEL_SUBSCRIPTION_EXISTS' });
    await expect(modify('s', { agent: 'nobody' })).rejects.toMatchObject({ reason: 'AGENT_NOT_FOUND' });
  });

  it('that wait for their deletion let go of their finalizers also when their agent went before them', async () => {
    await world.subscribe('ops', 's');
    const key = { ...recordKey('ChannelSubscription', 'default', 's'), parent: 'ops' };
    const hold = (finalizers: readonly string[]): Promise<unknown> =>
      world.store.write((tx) => world.writer.modify(tx, ORIGIN, { key, change: () => ({ finalizers }) }));
    await hold(['team.example/hold']);
    await world.call(method.deleteChannelSubscription, { ...address, name: 's' });
    const agent = recordKey('Agent', 'default', 'helper');
    await world.store.write((tx) => world.writer.remove(tx, ORIGIN, { key: agent }));
    await hold([]);
    expect(await world.store.direct.resources.get(key)).toBeUndefined();
  });

  it('are not created by a modify', async () => {
    await expect(modify('none', { agent: 'helper' })).rejects.toMatchObject({
      ...{ code: 'NOT_FOUND', reason: 'CHANNEL_SUBSCRIPTION_NOT_FOUND' },
    });
    expect((await list()).subscriptions).toEqual([]);
    const elsewhere = world.call(method.modifyChannelSubscription, { ns: 'default', channel: 'no', name: 's' });
    await expect(elsewhere).rejects.toMatchObject({ reason: 'CHANNEL_NOT_FOUND' });
  });

  it('may have the same name in two channels, and go one by one', async () => {
    await world.makeChannel('dev');
    await world.subscribe('ops', 'desk');
    await world.subscribe('dev', 'desk');
    await world.call(method.deleteChannelSubscription, { ...address, name: 'desk' });
    await expect(read('desk')).rejects.toMatchObject({ reason: 'CHANNEL_SUBSCRIPTION_NOT_FOUND' });
    const left = (await world.call(method.listChannelSubscriptions, {
      ...{ ns: 'default', channel: 'dev' },
    })) as ListChannelSubscriptionsResponse;
    expect(left.subscriptions.length).toBe(1);
    const gone = world.call(method.deleteChannelSubscription, { ...address, name: 'desk' });
    await expect(gone).rejects.toMatchObject({ reason: 'CHANNEL_SUBSCRIPTION_NOT_FOUND' });
  });

  it('are refused above the limit of a channel, and may be written in a closed one', async () => {
    await world.call(method.modifyChannel, { ns: 'default', name: 'ops', channel: { status: { phase: 'closed' } } });
    for (const name of ['a', 'b', 'c']) await world.subscribe('ops', name);
    await expect(world.subscribe('ops', 'd')).rejects.toMatchObject({
      ...{ code: 'RESOURCE_EXHAUSTED', reason: 'QUOTA_EXCEEDED' },
    });
    await modify('a', { agent: 'helper', trigger: 'all' });
  });

  it('are listed by name, page by page', async () => {
    for (const name of ['b', 'c', 'a']) await world.subscribe('ops', name);
    const first = await list({ pageSize: 2 });
    expect(first.subscriptions.map((each) => each.metadata?.name)).toEqual(['a', 'b']);
    const rest = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect([rest.subscriptions.map((each) => each.metadata?.name), rest.nextPageToken]).toEqual([['c'], '']);
    expect((await list({ metadataOnly: true })).subscriptions[0]?.spec).toBeUndefined();
    await expect(list({ channel: 'none' })).rejects.toMatchObject({ reason: 'CHANNEL_NOT_FOUND' });
  });

  it('are degraded while their agent is gone', async () => {
    await world.subscribe('ops', 'desk');
    await world.loop.tick();
    await world.store.write((tx) => world.writer.remove(tx, ORIGIN, { key: recordKey('Agent', 'default', 'helper') }));
    await world.settle();
    await world.loop.tick();
    const gone = await read('desk');
    expect(gone.subscription?.status?.phase).toBe('Degraded');
    expect(conditions(gone)).toContain('ReferencesResolved False AgentNotFound');
    await world.call(method.createAgent, { ns: 'default', name: 'helper' });
    await world.settle();
    await world.loop.tick();
    expect((await read('desk')).subscription?.status?.phase).toBe('Ready');
  });
});
