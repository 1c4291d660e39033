import { create, toJson } from '@bufbuild/protobuf';
import { type ChannelEvent, ChannelEventKind, ChannelEventSchema } from '@svc/api/events';
import { GatewayService } from '@svc/api/gateway';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChannelWorld, openChannelWorld } from '../testing/index.ts';
import { ChannelActivities } from './channel-activity.ts';

const { method } = GatewayService;
type Stream = ReturnType<ChannelWorld['follow']>;

const texts = (stream: Stream): (string | undefined)[] => stream.received.map((event) => event.message?.content);

describe('streams of channels', () => {
  let world: ChannelWorld;

  beforeEach(async () => {
    world = await openChannelWorld();
    await world.makeChannel('ops');
  });
  afterEach(() => world.close());

  const postAll = async (contents: readonly string[]): Promise<void> => {
    for (const content of contents) await world.post('ops', content);
  };
  const numbers = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

  it.each(['', 'live'])('show what comes after they began (after %j)', async (after) => {
    await world.post('ops', 'before');
    const stream = world.follow('ops', after);
    await world.settle();
    const { message } = await world.post('ops', 'now');
    await world.settle();
    expect(stream.received).toEqual([
      expect.objectContaining({
        ...{ ns: 'default', channel: 'ops', kind: ChannelEventKind.MESSAGE_CREATED, message, sequence: 2n },
        ...{ sessionId: '', agent: '', error: '', cursor: stream.ids[0], timestamp: BigInt(world.store.now()) },
      }),
    ]);
    expect(await stream.stop()).toBe('ok');
  });

  it('of all of them are told to consoles, each as its stream shows it', async () => {
    await world.makeChannel('dev');
    const told: unknown[] = [];
    const activities = new ChannelActivities({ bus: world.bus, epoch: world.store.epoch });
    const stop = activities.subscribe(({ namespace, channel, data }) =>
      told.push([namespace, channel, JSON.parse(data)]),
    );
    const stream = world.follow('ops');
    await world.settle();
    await world.post('ops', 'one');
    await world.post('dev', 'two');
    await world.settle();
    const [event] = stream.received;
    const shown = toJson(ChannelEventSchema, event as ChannelEvent, { alwaysEmitImplicit: true });
    const other = { ns: 'default', channel: 'dev', message: expect.objectContaining({ content: 'two' }) };
    expect(told).toEqual([
      ['default', 'ops', shown],
      ['default', 'dev', expect.objectContaining(other)],
    ]);
    stop();
    await world.post('ops', 'unheard');
    await world.settle();
    expect(told).toHaveLength(2);
    await stream.stop();
  });

  it('begin with the oldest event kept, then go on live', async () => {
    await postAll(numbers(1, 450));
    const stream = world.follow('ops', '0');
    await world.settle();
    await postAll(['451', '452']);
    await world.settle();
    expect(texts(stream)).toEqual(numbers(1, 452));
    await stream.stop();
  });

  it('share one message object among their readers', async () => {
    const [first, second] = [world.follow('ops'), world.follow('ops')];
    await world.settle();
    await world.post('ops', 'shared');
    await world.settle();
    expect(first.received[0]).toBe(second.received[0]);
    await first.stop();
    await world.post('ops', 'one left');
    await world.settle();
    expect([texts(first), texts(second)]).toEqual([['shared'], ['shared', 'one left']]);
    await second.stop();
  });

  it('resume at every event without gap or double, whatever is posted meanwhile', async () => {
    await postAll(numbers(1, 30));
    const whole = world.follow('ops', '0');
    await world.settle();
    const cursors = [...whole.ids];
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 29 }), fc.nat({ max: 6 }), fc.nat({ max: 6 }), async (at, during, later) => {
        const resumed = world.follow('ops', cursors[at]);
        await Promise.all(numbers(1, during).map((text) => world.post('ops', text)));
        await world.settle();
        for (let count = 0; count < later; count++) await world.post('ops', 'later');
        await world.settle();
        const sequences = resumed.received.map((event) => Number(event.sequence));
        const newest = Number(whole.received.at(-1)?.sequence);
        expect(sequences).toEqual(Array.from({ length: newest - at - 1 }, (_, index) => at + 2 + index));
        await resumed.stop();
      }),
      { numRuns: 40 },
    );
    await whole.stop();
  });

  it('resume where a cut stream ended, at random moments, and see every event exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('post', 'cut', 'settle'), { maxLength: 40 }), async (steps) => {
        const seen: bigint[] = [];
        const first = await world.post('ops', 'start');
        expect(first.message).toBeDefined();
        const tail = world.follow('ops', '0');
        await world.settle();
        let cursor = tail.ids.at(-1) ?? '';
        const from = tail.received.at(-1)?.sequence ?? 0n;
        await tail.stop();
        let stream = world.follow('ops', cursor);
        let posts = 0;
        for (const step of steps) {
          if (step === 'post') {
            posts += 1;
            await world.post('ops', 'x');
          } else if (step === 'settle') await world.settle();
          else {
            await stream.stop();
            seen.push(...stream.received.map((event) => event.sequence));
            cursor = stream.ids.at(-1) ?? cursor;
            stream = world.follow('ops', cursor);
          }
        }
        await world.settle();
        await stream.stop();
        seen.push(...stream.received.map((event) => event.sequence));
        expect(seen).toEqual(Array.from({ length: posts }, (_, index) => from + BigInt(index + 1)));
      }),
      { numRuns: 25 },
    );
  });

  it('never mix channels whose joined names are equal', async () => {
    for (const ns of ['a.b', 'a']) await world.call(method.createNamespace, { name: ns });
    await world.call(method.createChannel, { ns: 'a.b', channel: { metadata: { name: 'c' } } });
    await world.call(method.createChannel, { ns: 'a', channel: { metadata: { name: 'b.c' } } });
    const one: Stream = world.stream(method.streamChannelEvents, { ns: 'a.b', channel: 'c', after: '' });
    const two: Stream = world.stream(method.streamChannelEvents, { ns: 'a', channel: 'b.c', after: '' });
    await world.settle();
    await world.post('c', 'one', { ns: 'a.b' });
    await world.post('b.c', 'two', { ns: 'a' });
    await world.settle();
    expect([texts(one), texts(two)]).toEqual([['one'], ['two']]);
    const wrong: Stream = world.stream(method.streamChannelEvents, {
      ns: 'a',
      channel: 'b.c',
      after: one.ids[0] ?? '',
    });
    expect(await wrong.ended).toMatchObject({ code: 'INVALID_ARGUMENT' });
    await Promise.all([one.stop(), two.stop()]);
  });

  it('end with NOT_FOUND when their channel is deleted, also when it is made again', async () => {
    const stream = world.follow('ops');
    await world.settle();
    await world.call(method.deleteChannel, { ns: 'default', name: 'ops' });
    await world.makeChannel('ops');
    expect(await stream.ended).toMatchObject({ code: 'NOT_FOUND', reason: 'CHANNEL_NOT_FOUND' });
    const again = world.follow('ops', '0');
    await world.settle();
    await world.post('ops', 'fresh');
    await world.settle();
    expect(again.received.map((event) => event.sequence)).toEqual([1n]);
    await again.stop();
  });

  it.each([
    { of: 'a channel that is missing', channel: 'none', after: '', reason: 'CHANNEL_NOT_FOUND' },
    { of: 'text that is no cursor', channel: 'ops', after: 'yesterday', reason: 'FIELD_INVALID' },
    { of: 'a number', channel: 'ops', after: '17', reason: 'FIELD_INVALID' },
  ])('are refused for $of', async ({ channel, after, reason }) => {
    expect(await world.follow(channel, after).ended).toMatchObject({ reason });
  });

  it('keep their cursors when the clock of the machine is set', async () => {
    await postAll(numbers(1, 3));
    const stream = world.follow('ops', '0');
    await world.settle();
    await stream.stop();
    for (const stepMs of [3_600_000, -7_200_000]) {
      world.clock.stepWallClock(stepMs);
      const again = world.follow('ops', stream.ids[0] ?? '');
      await world.settle();
      expect(again.received.map((event) => event.sequence).slice(0, 2)).toEqual([2n, 3n]);
      await again.stop();
      await postAll(['more']);
    }
    const all = world.follow('ops', '0');
    await world.settle();
    expect(all.received.map((event) => event.sequence)).toEqual([1n, 2n, 3n, 4n, 5n]);
    await all.stop();
  });

  it('expire cursors of another store, of the future, and behind the history', async () => {
    await postAll(numbers(1, 3));
    const stream = world.follow('ops', '0');
    await world.settle();
    await stream.stop();
    const [first = '', , third = ''] = stream.ids;
    const expired = { code: 'OUT_OF_RANGE', reason: 'CURSOR_EXPIRED' };
    expect(await world.follow('ops', `--------${first.slice(8)}`).ended).toMatchObject(expired);
    expect(await world.follow('ops', `${first.slice(0, -1)}9`).ended).toMatchObject(expired);
    world.clock.advance(601_000);
    expect(await world.follow('ops', first).ended).toMatchObject(expired);
    const rest = world.follow('ops', third);
    const oldest = world.follow('ops', '0');
    await world.settle();
    await world.post('ops', '4');
    await world.settle();
    expect([texts(rest), texts(oldest)]).toEqual([['4'], ['4']]);
    await Promise.all([rest.stop(), oldest.stop()]);
  });

  it('keep only so many events', async () => {
    await world.close();
    world = await openChannelWorld({ historyEvents: 2 });
    await world.makeChannel('ops');
    await postAll(numbers(1, 5));
    const stream = world.follow('ops', '0');
    await world.settle();
    expect(texts(stream)).toEqual(['4', '5']);
    await stream.stop();
  });

  it('end a lagging reader with the buffered events and the cursor to resume from', async () => {
    const stream = world.follow('ops');
    await world.settle();
    stream.isLagging = true;
    await postAll(numbers(1, 11));
    await world.settle();
    const failure = (await stream.ended) as { reason: string; metadata: { cursor: string } };
    expect(failure.reason).toBe('SLOW_CONSUMER');
    expect(failure.metadata.cursor).toBe(stream.ids.at(-1));
    const resumed = world.follow('ops', failure.metadata.cursor);
    await world.settle();
    expect([...texts(stream), ...texts(resumed)]).toEqual(numbers(1, 11));
    await resumed.stop();
  });

  it('end a lagging reader also by bytes', async () => {
    await world.close();
    world = await openChannelWorld({ bufferEvents: 1_000, bufferBytes: 3_000 });
    await world.makeChannel('ops');
    const stream = world.follow('ops');
    await world.settle();
    stream.isLagging = true;
    await postAll(numbers(1, 12));
    await world.settle();
    expect(await stream.ended).toMatchObject({ reason: 'SLOW_CONSUMER' });
  });

  it('go on in order when a lagging reader catches up in time', async () => {
    const stream = world.follow('ops');
    await world.settle();
    stream.isLagging = true;
    await postAll(numbers(1, 4));
    stream.catchUp();
    await postAll(['5']);
    await world.settle();
    expect(texts(stream)).toEqual(numbers(1, 5));
    expect(await stream.stop()).toBe('ok');
  });

  it('read history at the pace of their reader', async () => {
    await postAll(numbers(1, 300));
    const stream = world.follow('ops', '0');
    stream.isLagging = true;
    await world.settle();
    expect(texts(stream)).toEqual(['1']);
    await world.post('ops', '301');
    stream.catchUp();
    await world.settle();
    expect(texts(stream)).toEqual(numbers(1, 301));
    await stream.stop();
  });

  it('read the store when live events were lost', async () => {
    const stream = world.follow('ops');
    await world.settle();
    const { message } = await world.post('ops', '1');
    const uid = (await world.store.direct.resources.get({
      ...{ kind: 'Channel', namespace: 'default', parent: '', name: 'ops' },
    }))!.uid;
    await world.store.write((tx) =>
      tx.channels.appendEvents(uid, [{ kind: 4, at: tx.now(), messageId: '', body: '{"error":"lost"}' }]),
    );
    await world.post('ops', '3');
    await world.settle();
    expect(stream.received.map((event) => event.sequence)).toEqual([1n, 2n, 3n]);
    expect(stream.received[1]?.error).toBe('lost');
    expect(message?.content).toBe('1');
    await stream.stop();
  });

  it('end OK when the reader has gone before they began', async () => {
    const operation = world.operations.find((candidate) => candidate.method.name === 'StreamChannelEvents');
    if (operation?.kind !== 'stream') throw new Error('not mounted');
    const signal = AbortSignal.abort();
    const request = create(method.streamChannelEvents.input, { ns: 'default', channel: 'ops' });
    const together = (work: () => void): void => work();
    const sink = { open: () => undefined, send: () => true, together, onDrained: () => undefined, writable: true };
    await operation.handle(request, { signal } as never, sink);
  });
});
