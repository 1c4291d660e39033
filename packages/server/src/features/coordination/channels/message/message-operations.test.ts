import { createHash } from 'node:crypto';
import { type ChannelMessageResponse, GatewayService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChannelWorld, openChannelWorld } from '../testing/index.ts';

const { method } = GatewayService;

const FOREIGN = createHash('sha256').update(new Uint8Array(1)).digest('hex');

describe('messages of channels', () => {
  let world: ChannelWorld;

  beforeEach(async () => {
    world = await openChannelWorld();
    await world.makeChannel('ops');
  });
  afterEach(() => world.close());

  it('are stored as posted, trimmed, with user as the author kind', async () => {
    const { message, routedSessions } = await world.post('ops', '  hello \n', { author: 'ann', labels: { a: 'b' } });
    expect(message).toMatchObject({
      ns: 'default',
      channel: 'ops',
      authorKind: 'user',
      author: 'ann',
      content: 'hello',
    });
    expect(message).toMatchObject({ labels: { a: 'b' }, createdAt: BigInt(world.store.now()), sourceAgent: '' });
    expect(routedSessions).toEqual([]);
    const got = (await world.call(method.getChannelMessage, {
      ...{ ns: 'default', channel: 'ops', messageId: message?.id ?? '' },
    })) as ChannelMessageResponse;
    expect(got.message).toEqual(message);
    const audit = await world.store.direct.audit.list({ limit: 1 });
    expect(audit[0]).toMatchObject({ target: 'Channel/default/ops', outcome: 'posted', identity: 'anonymous' });
  });

  it.each([
    ['blank content', { content: ' \n ' }, 'content CONTENT_REQUIRED'],
    ['a long author', { author: 'x'.repeat(254) }, 'author FIELD_INVALID'],
    ['a long author kind', { authorKind: 'x'.repeat(64) }, 'authorKind FIELD_INVALID'],
    [
      'too many subscription names',
      { subscriptionNames: Array.from({ length: 65 }, () => 's') },
      'subscriptionNames FIELD_INVALID',
    ],
    ['a system label', { labels: { 'svc/channel': 'x' } }, 'labels[svc/channel] SYSTEM_LABEL'],
    ['an attachment without key', { attachments: [{ sha256: 'x' }] }, 'attachments[0].key FIELD_INVALID'],
    ['an attachment without sha256', { attachments: [{ key: 'pic' }] }, 'attachments[0] FIELD_INVALID'],
    [
      'an attachment of another namespace',
      { attachments: [{ key: 'foreign', sha256: FOREIGN }] },
      'attachments[0] FIELD_INVALID',
    ],
    [
      'too many attachments',
      { attachments: Array.from({ length: 21 }, () => ({ key: 'k' })) },
      'attachments FIELD_INVALID',
    ],
  ])('are refused with %s, and nothing is stored', async (_name, more, violation) => {
    world.objects.set(`other/${FOREIGN}`, new Uint8Array(1));
    const failure = await world.post('ops', 'text', more as never).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT' });
    const { violations } = failure as { violations: { field: string; reason: string }[] };
    expect(violations.map(({ field, reason }) => `${field} ${reason}`)).toEqual([violation]);
    expect((await world.messages('ops')).messages).toEqual([]);
  });

  it('are refused when too large, when closed, and in a channel that is missing', async () => {
    await expect(world.post('ops', 'é'.repeat(513))).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_LARGE',
    });
    await world.post('ops', ` ${'é'.repeat(512)} `);
    await expect(world.post('none', 'x')).rejects.toMatchObject({ reason: 'CHANNEL_NOT_FOUND' });
    await expect(world.post('ops', 'x', { ns: 'none' })).rejects.toMatchObject({ reason: 'NAMESPACE_MISSING' });
    await world.call(method.modifyChannel, { ns: 'default', name: 'ops', channel: { status: { phase: 'closed' } } });
    await expect(world.post('ops', 'x')).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'CHANNEL_CLOSED',
    });
    expect((await world.messages('ops')).messages.length).toBe(1);
  });

  it('hold the objects they refer to, with their true size and hash', async () => {
    const bytes = new TextEncoder().encode('picture');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    world.objects.set(`default/${sha256}`, bytes);
    const attachments = [{ key: 'pic', sha256, filename: 'a.png' }];
    await expect(world.post('ops', '', { attachments })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const reference = { namespace: 'default', sha256, sizeBytes: 7, mediaType: 'image/png', holder: 'file/1', at: 1 };
    await world.store.write((tx) => tx.objects.addReference(reference));
    const { message } = await world.post('ops', '', { attachments });
    expect(message?.attachments[0]).toMatchObject({ key: 'pic', sha256, sizeBytes: 7n, filename: 'a.png' });
    const record = await world
      .call(method.getChannel, { ns: 'default', name: 'ops' })
      .then((answer) => answer as { channel: { metadata: { uid: string } } });
    expect(world.held).toEqual([`pic by channel/${record.channel.metadata.uid}/${message?.id}`]);
    world.objects.set(`default/${sha256}`, new TextEncoder().encode('another'));
    const wrong = world.post('ops', '', { attachments });
    await expect(wrong).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('are posted once per idempotency key, also when what they refer to is gone meanwhile', async () => {
    const bytes = new TextEncoder().encode('picture');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    world.objects.set(`default/${sha256}`, bytes);
    const reference = { namespace: 'default', sha256, sizeBytes: 7, mediaType: 'image/png', holder: 'file/1', at: 1 };
    await world.store.write((tx) => tx.objects.addReference(reference));
    const request = { ns: 'default', channel: 'ops', attachments: [{ key: 'pic', sha256 }] };
    const first = await world.postOnce('p', request);
    world.objects.delete(`default/${sha256}`);
    const second = await world.postOnce('p', request);
    expect(second.answer).toEqual(first.answer);
  });

  it('are posted once per idempotency key', async () => {
    const request = { ns: 'default', channel: 'ops', content: 'once' };
    const first = await world.postOnce('k', request);
    const second = await world.postOnce('k', request);
    expect(second.answer).toEqual(first.answer);
    expect([first.headers, second.headers]).toEqual([{}, { 'idempotency-replayed': 'true' }]);
    expect((await world.messages('ops')).messages.length).toBe(1);
    const other = world.postOnce('k', { ...request, content: 'other' });
    await expect(other).rejects.toMatchObject({ reason: 'IDEMPOTENCY_MISMATCH' });
    await expect(world.postOnce('failing', { ...request, channel: 'none' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await world.makeChannel('none');
    await world.postOnce('failing', { ...request, channel: 'none' });
  });

  it('are listed in the order of their stream, also after a start with a clock that is behind', async () => {
    world.clock.advance(3_600_000);
    await world.makeChannel('kept');
    await world.post('kept', 'one');
    await world.post('kept', 'two');
    await world.close(true);
    // The clock of the next world begins where that of the first one began: it is 59 minutes behind.
    world = await openChannelWorld({ dataDir: world.dataDir });
    world.clock.advance(60_000);
    await world.post('kept', 'three');
    await world.post('kept', 'four');
    const listed = (await world.messages('kept')).messages.map(({ content }) => content);
    const stream = world.follow('kept', '0');
    await world.settle();
    expect(listed).toEqual(['one', 'two', 'three', 'four']);
    expect(stream.received.map((event) => event.message?.content)).toEqual(listed);
    await stream.stop();
  });

  it('page backwards, newest page first, each oldest to newest', async () => {
    for (const text of ['1', '2', '3', '4', '5']) await world.post('ops', text);
    const texts = (answer: Awaited<ReturnType<typeof world.messages>>) => answer.messages.map(({ content }) => content);
    const first = await world.messages('ops', { limit: 2 });
    expect([texts(first), first.hasMore]).toEqual([['4', '5'], true]);
    const before = { beforeMessageId: first.nextBeforeMessageId };
    const rest = await world.messages('ops', { ...before, pageSize: 3, limit: 1 });
    expect([texts(rest), rest.hasMore, rest.nextBeforeMessageId]).toEqual([['1', '2', '3'], false, undefined]);
    expect(texts(await world.messages('ops', { beforeMessageId: 'f' }))).toEqual(['1', '2', '3', '4', '5']);
    for (const page of [{ limit: -1 }, { pageSize: -1 }])
      await expect(world.messages('ops', page)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await expect(world.messages('none')).rejects.toMatchObject({ reason: 'CHANNEL_NOT_FOUND' });
  });

  it('end a page before it grows past the bytes of an answer', async () => {
    await world.close();
    world = await openChannelWorld({ responseBytes: 500 });
    await world.makeChannel('ops');
    for (const text of ['a', 'b', 'c']) await world.post('ops', text.repeat(200));
    const page = await world.messages('ops');
    expect([page.messages.map(({ content }) => content[0]), page.hasMore]).toEqual([['b', 'c'], true]);
  });

  it.each(['none', '0190b000-0000-7000-8000-000000000000'])('are NOT_FOUND by the id %s', async (messageId) => {
    const got = world.call(method.getChannelMessage, { ns: 'default', channel: 'ops', messageId });
    await expect(got).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'CHANNEL_MESSAGE_NOT_FOUND' });
  });

  it('go when they are older than the retention, events with them', async () => {
    await world.close();
    world = await openChannelWorld({ retentionSeconds: 60, historyEvents: 4 });
    await world.makeChannel('ops');
    await world.post('ops', 'old');
    world.clock.advance(61_000);
    for (let count = 0; count < 64; count++) await world.post('ops', 'new');
    const { messages } = await world.messages('ops');
    expect(messages.some(({ content }) => content === 'old')).toBe(false);
    const events = await world.store.direct.channels.events(messages.length === 0 ? '' : await uidOf(world), 0, 100);
    expect(events.map((event) => event.sequence)).toEqual([61, 62, 63, 64, 65]);
  });
});

const uidOf = async (world: ChannelWorld): Promise<string> => {
  const answer = (await world.call(method.getChannel, { ns: 'default', name: 'ops' })) as {
    channel: { metadata: { uid: string } };
  };
  return answer.channel.metadata.uid;
};
