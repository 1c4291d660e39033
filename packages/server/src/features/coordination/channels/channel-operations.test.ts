import {
  type ChannelResponse,
  GatewayService,
  type ListChannelSubscriptionsResponse,
  type ListChannelsResponse,
} from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../../base/index.ts';
import { REMOVE_REMAINS } from './channel-remains.ts';
import { type ChannelWorld, openChannelWorld } from './testing/index.ts';

const { method } = GatewayService;

describe('channels', () => {
  let world: ChannelWorld;

  beforeEach(async () => {
    world = await openChannelWorld();
  });
  afterEach(() => world.close());

  const read = (name: string): Promise<ChannelResponse> => world.call(method.getChannel, { ns: 'default', name });
  const modify = (name: string, channel: object): Promise<ChannelResponse> =>
    world.call(method.modifyChannel, { ns: 'default', name, channel } as never);
  const fault = (call: Promise<unknown>): Promise<Fault> =>
    call.then(
      () => {
        throw new Error('the call succeeded');
      },
      (error: unknown) => error as Fault,
    );

  it('are created open and read back the same', async () => {
    const { channel } = await world.makeChannel('ops', { title: 'Operations', metadata: { team: 'a' } });
    expect(channel?.status).toMatchObject({ phase: 'open', observedGeneration: 1n });
    expect(channel?.status?.conditions.map(({ type, status }) => `${type} ${status}`)).toEqual(['Ready True']);
    expect(channel?.status?.createdAt).toBe(BigInt(world.store.now()));
    expect(channel?.status?.updatedAt).toBe(channel?.status?.createdAt);
    expect((await read('ops')).channel).toEqual(channel);
  });

  it('may be created closed, and refuse a second one of the name', async () => {
    const closed = { metadata: { name: 'ops' }, status: { phase: 'closed' } };
    const { channel } = (await world.call(method.createChannel, { ns: 'default', channel: closed })) as ChannelResponse;
    expect(channel?.status?.phase).toBe('closed');
    expect(channel?.metadata?.annotations).toEqual({ 'option.svc/channel-state': 'closed' });
    await expect(world.makeChannel('ops')).rejects.toMatchObject({ code: 'ALREADY_EXISTS', reason: 'CHANNEL_EXISTS' });
  });

  it('name all faults of a request at once', async () => {
    const channel = {
      metadata: { name: 'a/b', namespace: 'other', labels: { 'svc/x': 'y', '-': '' } },
      spec: { title: 'x'.repeat(257), metadata: { '': 'v' } },
      status: { phase: 'ajar' },
    };
    const { violations } = await fault(world.call(method.createChannel, { ns: 'default', channel }));
    expect(violations.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      'metadata.name NAME_INVALID',
      'metadata.namespace PATH_BODY_MISMATCH',
      'status.phase CHANNEL_STATE',
      'metadata.labels[-] FIELD_INVALID',
      'spec.title FIELD_INVALID',
      'spec.metadata[] FIELD_INVALID',
    ]);
  });

  it.each([
    ['no channel', undefined, 'metadata.name'],
    ['a dot for a name', { metadata: { name: '.' } }, 'metadata.name'],
    [
      'a state annotation of another word',
      { metadata: { name: 'a', annotations: { 'option.svc/channel-state': 'x' } } },
      'metadata.annotations[option.svc/channel-state]',
    ],
    [
      'an unknown option',
      { metadata: { name: 'a', annotations: { 'option.svc/loud': 'x' } } },
      'metadata.annotations[option.svc/loud]',
    ],
    ['a system label', { metadata: { name: 'a', labels: { 'svc/x': 'y' } } }, 'metadata.labels[svc/x]'],
    [
      'too much metadata',
      {
        metadata: { name: 'a' },
        spec: { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, ''])) },
      },
      'spec.metadata',
    ],
    [
      'a large metadata value',
      { metadata: { name: 'a' }, spec: { metadata: { k: 'é'.repeat(2_049) } } },
      'spec.metadata[k]',
    ],
  ])('are refused with %s', async (name, channel, field) => {
    const { code, violations } = await fault(world.call(method.createChannel, { ns: 'default', channel } as never));
    expect(code).toBe(name === 'a large metadata value' ? 'RESOURCE_EXHAUSTED' : 'INVALID_ARGUMENT');
    expect(violations.map((violation) => violation.field)).toEqual([field]);
    expect(((await world.call(method.listChannels, { ns: 'default' })) as ListChannelsResponse).channels).toEqual([]);
  });

  it('are refused in a namespace that is missing', async () => {
    const channel = { metadata: { name: 'a' } };
    const created = world.call(method.createChannel, { ns: 'nowhere', channel });
    await expect(created).rejects.toMatchObject({ reason: 'NAMESPACE_MISSING' });
    const got = world.call(method.getChannel, { ns: 'nowhere', name: 'a' });
    await expect(got).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    await expect(read('a')).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'CHANNEL_NOT_FOUND' });
  });

  it('are closed and opened by phase, by annotation, and keep their phase when nothing is said', async () => {
    const phases: (string | undefined)[] = [];
    const note = (answer: ChannelResponse): void => void phases.push(answer.channel?.status?.phase);
    await world.makeChannel('ops');
    note(await modify('ops', { status: { phase: 'closed' } }));
    note(await modify('ops', { spec: { title: 'still' } }));
    const shown = (await read('ops')).channel;
    note(await modify('ops', { ...shown, status: { phase: 'open' } }));
    note(await modify('ops', { metadata: { annotations: { 'option.svc/channel-state': 'closed' } } }));
    note(
      await modify('ops', {
        metadata: { annotations: { 'option.svc/channel-state': 'open' } },
        status: { phase: 'closed' },
      }),
    );
    expect(phases).toEqual(['closed', 'closed', 'open', 'closed', 'open']);
  });

  it('are replaced by a modify and honour the resource version', async () => {
    const { channel: before } = await world.makeChannel('ops', { title: 'old', metadata: { a: 'b' } });
    world.clock.advance(1_000);
    const metadata = { resourceVersion: before?.metadata?.resourceVersion, labels: { tier: 'gold' } };
    const { channel: after } = await modify('ops', { metadata, spec: { title: 'new' } });
    expect(after?.spec).toMatchObject({ title: 'new', metadata: {} });
    expect(after?.metadata).toMatchObject({ labels: { tier: 'gold' }, generation: 2n, uid: before?.metadata?.uid });
    expect(after?.status?.createdAt).toBe(before?.status?.createdAt);
    expect(after?.status?.updatedAt).toBe((before?.status?.createdAt ?? 0n) + 1_000_000n);
    world.clock.advance(1_000);
    const same = await modify('ops', { metadata: { labels: { tier: 'gold' } }, spec: { title: 'new' } });
    expect(same.channel?.metadata?.resourceVersion).toBe(after?.metadata?.resourceVersion);
    expect(same.channel?.status?.updatedAt).toBe((after?.status?.updatedAt ?? 0n) + 1_000_000n);
    await expect(modify('ops', { metadata })).rejects.toMatchObject({ code: 'ABORTED', reason: 'CONFLICT' });
    await expect(modify('ops', { metadata: { name: 'other' } })).rejects.toMatchObject({
      reason: 'PATH_BODY_MISMATCH',
    });
    await expect(modify('none', {})).rejects.toMatchObject({ reason: 'CHANNEL_NOT_FOUND' });
  });

  it('show the time of their last message without a new version', async () => {
    const { channel: before } = await world.makeChannel('ops');
    world.clock.advance(5_000);
    await world.post('ops', 'hello');
    const { channel: after } = await read('ops');
    expect(after?.metadata?.resourceVersion).toBe(before?.metadata?.resourceVersion);
    expect(after?.status?.updatedAt).toBe((before?.status?.updatedAt ?? 0n) + 5_000_000n);
    world.clock.stepWallClock(-60_000);
    await world.post('ops', 'again');
    expect((await read('ops')).channel?.status?.updatedAt).toBe(after?.status?.updatedAt);
  });

  it('are listed by name, page by page, by label and without specs', async () => {
    for (const name of ['b', 'c', 'a']) await world.makeChannel(name, { title: name });
    await modify('c', { metadata: { labels: { team: 'x' } }, spec: { title: 'c' } });
    const list = (more: object = {}): Promise<ListChannelsResponse> =>
      world.call(method.listChannels, { ns: 'default', ...more });
    const names = ({ channels }: ListChannelsResponse) => channels.map((channel) => channel.metadata?.name);
    const first = await list({ pageSize: 2 });
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.channels[0]?.status?.updatedAt).toBeGreaterThan(0n);
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect([names(second), second.nextPageToken]).toEqual([['c'], '']);
    expect(names(await list({ labelSelector: 'team=x' }))).toEqual(['c']);
    expect((await list({ metadataOnly: true })).channels[0]?.spec).toBeUndefined();
    await expect(list({ pageToken: first.nextPageToken, labelSelector: 'team' })).rejects.toMatchObject({
      reason: 'PAGE_TOKEN_INVALID',
    });
    await expect(world.call(method.listChannels, { ns: 'none' })).rejects.toMatchObject({
      reason: 'NAMESPACE_NOT_FOUND',
    });
  });

  it('leave nothing behind: a channel of the name made again is empty at once', async () => {
    const { channel } = await world.makeChannel('ops');
    await world.subscribe('ops', 'sub');
    for (let count = 0; count < 2_000; count++) await world.post('ops', `m${count}`);
    await world.call(method.deleteChannel, { ns: 'default', name: 'ops' });
    await expect(world.messages('ops')).rejects.toMatchObject({ reason: 'CHANNEL_NOT_FOUND' });
    await world.makeChannel('ops');
    expect((await world.messages('ops')).messages).toEqual([]);
    const subscriptions = (await world.call(method.listChannelSubscriptions, {
      ...{ ns: 'default', channel: 'ops' },
    })) as ListChannelSubscriptionsResponse;
    expect(subscriptions.subscriptions).toEqual([]);
    const uid = channel?.metadata?.uid ?? '';
    const taken = await world.store.write((tx) => tx.queue.take([REMOVE_REMAINS], tx.steadyNow(), 1, 10));
    expect(taken.map((item) => item.key)).toEqual([uid]);
    const [item] = taken;
    let passes = 1;
    while ('againMs' in (await world.remains.run(item!))) passes += 1;
    expect(passes).toBe(9);
    expect(await world.store.direct.channels.messagesBefore(uid, undefined, 9)).toEqual([]);
    expect(await world.store.direct.channels.events(uid, 0, 9)).toEqual([]);
    await expect(world.call(method.deleteChannel, { ns: 'default', name: 'none' })).rejects.toMatchObject({
      reason: 'CHANNEL_NOT_FOUND',
    });
  });
});
