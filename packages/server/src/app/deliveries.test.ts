import { beforeAll, describe, expect, it, vi } from 'vitest';
import { AppUnderTest, ConnectorBench, ConnectorServiceUnderTest } from './testing/index.ts';

const service = ConnectorServiceUnderTest.ofSuite();
const app = AppUnderTest.ofSuite();
const { rest } = app;
const bench = new ConnectorBench(app, service);
const STATUS = 'svc/connector-delivery-status';

interface TrailLine {
  readonly kind: string;
  readonly id: string;
}

const consumer = (replyMode: string) => ({ consumer: { session: { agent: { name: 'helper' }, replyMode } } });

beforeAll(async () => {
  const asking = { 'option.svc/requests': 'deliver', 'option.svc/approvers': 'u1' };
  const room = { channel: { name: 'room' }, agent: { name: 'helper' } };
  const asksInRoom = bench.connectorDocument('asks-in-room', { team: 'asks-in-room' }, { consumer: { channel: room } });
  const asks = bench.connectorDocument('asks', { team: 'asks' }, consumer('auto'));
  await bench.apply(
    { kind: 'Agent', metadata: { name: 'helper' }, spec: { capabilities: { people: ['ask'] } } },
    { kind: 'Channel', metadata: { name: 'room' }, spec: {} },
    bench.classDocument('chat'),
    bench.connectorDocument('direct', { team: 'direct' }, consumer('auto')),
    bench.connectorDocument('held', { team: 'held' }, consumer('hold_for_review')),
    { ...asks, metadata: { ...asks.metadata, annotations: asking } },
    { ...asksInRoom, metadata: { ...asksInRoom.metadata, annotations: asking } },
    bench.connectorDocument(
      'posts',
      { team: 'posts' },
      {
        consumer: { channel: { ...room, replyPolicy: 'thread' } },
      },
    ),
  );
  await bench.becomes('Connector', 'posts', 'ready');
});

/** A message of the platform in a conversation of its own. */
const said = ([team, conversation, text]: readonly [string, string, string], more: object = {}) =>
  bench.event({ matchFields: { team }, externalConversationId: conversation, text, ...more });

const bodies = (conversation: string) => service.deliveries(conversation).map(({ body }) => body);

const delivered = (conversation: string, count: number): Promise<void> =>
  vi.waitFor(() => expect(service.deliveries(conversation)).toHaveLength(count), { interval: 20, timeout: 60_000 });

/** The newest message of the agent once it has one with this status. */
const answerOf = async (sessionId: string, status: string) =>
  vi.waitFor(
    async () => {
      const found = (await bench.messages(sessionId)).findLast(({ labels }) => labels[STATUS] !== undefined);
      expect(found?.labels[STATUS]).toBe(status);
      return found?.id ?? '';
    },
    { interval: 20, timeout: 60_000 },
  );

describe('a conversation on a platform', () => {
  it('goes from the message over a tool and a review to one answer in its thread', async () => {
    const sessionId = await bench.session(
      said(['held', 'review', '!tool current_time {}\n!say draft'], {
        externalThreadId: 't9',
        externalMessageId: 'm9',
      }),
    );
    const message = await answerOf(sessionId, 'pending_review');
    const path = `PATCH /v1/ns/default/agents/helper/sessions/${sessionId}/messages/${message}`;
    const forged = await rest.call(path, { labels: { [STATUS]: 'delivered' } });
    expect([forged.status, JSON.stringify(forged.body)]).toEqual([400, expect.stringContaining('DELIVERY_STATUS')]);
    const parts = [{ partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: 'the answer' }];
    await rest.ok(path, { labels: { [STATUS]: 'delivery_requested' }, parts });
    await delivered('review', 1);
    await answerOf(sessionId, 'delivered');
    expect(bodies('review')).toMatchObject([
      { text: 'the answer', connectorName: 'held', externalThreadId: 't9', replyToExternalMessageId: 'm9' },
    ]);
    await vi.waitFor(async () =>
      expect(await bench.condition('ConnectorClass', 'chat', 'DeliveryHealthy')).toBe('True Delivering'),
    );
  });

  it('is one trail from the event to the delivery, asked for by either', async () => {
    const event = said(['direct', 'story', '!say hi']);
    await bench.session(event);
    await delivered('story', 1);
    const id = String(bodies('story')[0]?.['deliveryId']);
    const trail = async (of: string) =>
      (await rest.ok<{ entries: readonly TrailLine[] }>(`GET /v1/ns/default/trails/${of}`)).entries;
    await vi.waitFor(async () => expect((await trail(id)).at(-1)).toMatchObject({ id, state: 'delivered' }));
    const entries = await trail(id);
    expect(entries.map(({ kind }) => kind)).toEqual([
      'connector_event',
      'session_message',
      'turn',
      'model_call',
      'session_message',
      'delivery',
    ]);
    expect(entries[0]).toMatchObject({ id: event.eventId, name: 'direct', state: 'accepted', causedBy: '' });
    expect(entries[1]).toMatchObject({ causedBy: event.eventId });
    expect(entries[5]).toMatchObject({ name: 'direct', causedBy: entries[4]?.id });
    expect(await trail(event.eventId)).toEqual(entries);
  });

  it('takes no label of a delivery from other calls', async () => {
    const sessionId = await bench.session(said(['direct', 'forged', '!say hi']));
    await delivered('forged', 1);
    const session = `/v1/ns/default/agents/helper/sessions/${sessionId}`;
    const message = {
      role: 'ROLE_ASSISTANT',
      labels: { [STATUS]: 'delivered' },
      parts: [{ partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: 'x' }],
    };
    const append = `POST ${session}/messages:append`;
    const forged = await rest.call(append, { message });
    expect([forged.status, JSON.stringify(forged.body)]).toEqual([400, expect.stringContaining('SYSTEM_LABEL')]);
    await rest.ok(append, { message: { ...message, labels: {} } });
    await delivered('forged', 2);
    await rest.send(session, '!say private', { waitSeconds: 20 });
    expect(bodies('forged').map(({ text }) => text)).toEqual(['hi', 'x']);
  });

  it('has its files at addresses that need no credential', async () => {
    await bench.send(said(['direct', 'files', '!file report.txt some text']));
    await delivered('files', 1);
    const [{ attachments }] = bodies('files') as unknown as [{ attachments: { metadata: Record<string, string> }[] }];
    expect(await (await fetch(attachments[0]?.metadata['download_url'] ?? '')).text()).toBe('some text');
  });

  it('shows what is said in a channel in the thread of the message, and says there what did not arrive', async () => {
    service.deliveryAnswers.push({ status: 404, body: { error: 'no such thread' } });
    await bench.send(said(['posts', 'room', '!tool channel_publish {"content":"seen"}'], { externalMessageId: 'm7' }));
    await delivered('room', 1);
    expect(bodies('room')).toMatchObject([{ text: 'seen', externalThreadId: 'm7', labels: { 'svc.channel': 'room' } }]);
    const listed = () => rest.ok<{ deliveries: readonly object[] }>('GET /v1/ns/default/deliveries?connector=posts');
    await vi.waitFor(async () =>
      expect((await listed()).deliveries).toMatchObject([{ state: 'rejected', lastError: 'HTTP_404: no such thread' }]),
    );
    const errors = await app.sql("SELECT body FROM channel_events WHERE body LIKE '%DELIVERY_FAILED: HTTP_404%'");
    expect(errors).toHaveLength(1);
  });

  it('asks and is answered there, by those whom the connector names', async () => {
    const sessionId = await bench.session(said(['asks', 'ask', '!tool ask_user {"question":"Why?"}\n!say thanks']));
    await delivered('ask', 1);
    const reply = await bench.send(said(['asks', 'ask', 'because']));
    expect(reply).toMatchObject({
      reason: 'accepted',
      consumer: { session: { sessionId, agent: { name: 'helper' } } },
    });
    await delivered('ask', 2);
    expect(bodies('ask').map(({ text }) => text)).toEqual([
      'Why?\n\nAnswer with a message, or with "decline".',
      expect.stringContaining('thanks'),
    ]);
  });

  it('asks in a channel that it feeds, and an answer in the conversation decides it', async () => {
    const script = '!tool ask_user {"question":"Why?"}\n!tool channel_publish {"content":"understood"}';
    await bench.send(said(['asks-in-room', 'room-ask', script]));
    await delivered('room-ask', 1);
    const reply = await bench.send(said(['asks-in-room', 'room-ask', 'because']));
    expect(reply).toMatchObject({ reason: 'accepted', consumer: { session: { agent: { name: 'helper' } } } });
    await delivered('room-ask', 2);
    expect(bodies('room-ask')).toMatchObject([
      { text: 'Why?\n\nAnswer with a message, or with "decline".', labels: { 'svc.channel': 'room' } },
      { text: 'understood', labels: { 'svc.channel': 'room' } },
    ]);
  });

  it('takes a press of a button as an answer, and never as a message', async () => {
    const sessionId = await bench.session(said(['asks', 'press', '!tool ask_user {"question":"Why?"}\n!say thanks']));
    await delivered('press', 1);
    const press = (text: string, sender: string) =>
      said(['asks', 'press', text], {
        sender: { kind: 'user', externalId: sender },
        externalMessageId: '',
        labels: { 'svc.delivery': bodies('press')[0]?.['deliveryId'] },
      });
    expect(await bench.send(press('because', 'u9'))).toMatchObject({
      reason: 'not_an_approver',
      connectorName: 'asks',
    });
    const event = press('because', 'u1');
    expect(await bench.send(event)).toMatchObject({ reason: 'accepted', consumer: { session: { sessionId } } });
    expect(await bench.send(event)).toMatchObject({ reason: 'duplicate' });
    await delivered('press', 2);
    expect(await bench.send(press('because', 'u1'))).toMatchObject({ reason: 'no_open_request' });
    const sources = (await bench.messages(sessionId)).map(({ labels }) => labels['svc/message-source']);
    expect(sources.filter((source) => source === 'connector')).toHaveLength(1);
  });

  it('has its class registered again where the service no longer knows it', async () => {
    const before = service.registrations('chat').length;
    service.deliveryAnswers.push({ status: 400, body: { disposition: 'unregistered' } });
    await bench.send(said(['direct', 'unknown', '!say hi']));
    await vi.waitFor(() => expect(service.registrations('chat').length).toBeGreaterThan(before), { timeout: 60_000 });
    await delivered('unknown', 2);
    const [first, second] = bodies('unknown');
    expect(first?.['deliveryId']).toBe(second?.['deliveryId']);
  });
});
