import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { AppUnderTest, ConnectorBench, ConnectorServiceUnderTest } from './testing/index.ts';

const service = ConnectorServiceUnderTest.ofSuite();
const app = AppUnderTest.ofSuite();
const { rest } = app;
const bench = new ConnectorBench(app, service);
const reuse = { consumer: { session: { agent: { name: 'helper' }, continuity: 'reuse' } } };

beforeAll(async () => {
  await bench.apply(
    { kind: 'Agent', metadata: { name: 'helper' }, spec: { systemPrompt: 'x' } },
    { kind: 'Channel', metadata: { name: 'room' }, spec: {} },
    bench.classDocument('chat'),
    bench.connectorDocument('team-one', { team: 't1' }),
    bench.connectorDocument('kept', { team: 'kept' }, reuse),
    bench.connectorDocument('posts', { team: 'room' }, { consumer: { channel: { channel: { name: 'room' } } } }),
  );
  await bench.becomes('Connector', 'team-one', 'ready');
});

describe('an event', () => {
  it('becomes a turn of the agent that the connector names', async () => {
    const answer = await bench.send(bench.event({ text: ' count the boxes ' }));
    expect(answer).toMatchObject({ reason: 'accepted', namespace: 'default', connectorName: 'team-one' });
    expect(answer.consumer?.session).toMatchObject({ agent: { name: 'helper', namespace: 'default' } });
    const [message] = await bench.messages(answer.consumer?.session?.sessionId ?? '');
    expect(message?.parts[0]?.content).toBe('count the boxes');
    expect(message?.labels).toMatchObject({
      'svc/message-source': 'connector',
      'svc/connector': 'team-one',
      'svc/connector-match.team': 't1',
      'svc/external-sender-name': 'Ada',
    });
  });

  it('is accepted once, however many copies come at a time', async () => {
    const event = bench.event({ matchFields: { team: 'kept' }, externalConversationId: 'copies' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => bench.send(event)));
    const [accepted, ...more] = answers.filter(({ reason }) => reason === 'accepted');
    expect(more).toEqual([]);
    expect(answers.filter(({ reason }) => reason === 'duplicate')).toHaveLength(49);
    const sessions = new Set(answers.map(({ consumer }) => consumer?.session?.sessionId));
    expect(sessions.size).toBe(1);
    const stored = await bench.messages(accepted?.consumer?.session?.sessionId ?? '');
    expect(stored.filter(({ labels }) => labels['svc/connector'] === 'kept')).toHaveLength(1);
  });

  it('that no connector takes may be sent again, and is taken once one does', async () => {
    const event = bench.event({ matchFields: { team: 'later' } });
    expect(await bench.became(event)).toBe('UNMATCHED no_route');
    await bench.apply(bench.connectorDocument('later', { team: 'later' }, { enabled: false }));
    expect(await bench.send(event)).toMatchObject({
      status: 'CONNECTOR_MESSAGE_EVENT_STATUS_REJECTED',
      reason: 'connector_disabled',
      namespace: 'default',
      connectorName: 'later',
    });
    await bench.apply(bench.connectorDocument('later', { team: 'later' }));
    expect(await bench.became(event)).toBe('ACCEPTED accepted');
    expect(await bench.became(event)).toBe('DUPLICATE duplicate');
  });

  it('reaches an enabled connector for less before a disabled one for more', async () => {
    await bench.apply(
      bench.connectorDocument('wide', { team: 'mix' }),
      bench.connectorDocument('narrow', { team: 'mix', channel: 'c' }, { enabled: false }),
    );
    const { connectorName } = await bench.send(bench.event({ matchFields: { team: 'mix', channel: 'c' } }));
    expect(connectorName).toBe('wide');
  });

  it('that is no new message, or is empty, is left alone', async () => {
    const kind = (eventKind: string) => bench.became(bench.event({ eventKind }));
    expect(await kind('CONNECTOR_MESSAGE_EVENT_KIND_UPDATED')).toBe('IGNORED unsupported_event_kind');
    expect(await kind('CONNECTOR_MESSAGE_EVENT_KIND_CREATED')).toBe('ACCEPTED accepted');
    expect(await bench.became(bench.event({ text: ' ' }))).toBe('IGNORED empty_message');
  });

  it('of a program is left alone where its conversation has too many of them', async () => {
    const bot = () => bench.event({ sender: { kind: 'bot', externalId: 'b' }, externalConversationId: 'bots' });
    const outcomes: string[] = [];
    for (let count = 0; count < 42; count += 1) outcomes.push(await bench.became(bot()));
    // Of 42 within two minutes at least two are too many.
    expect(outcomes).toContain('IGNORED loop_guard');
    expect(outcomes.slice(0, 20)).not.toContain('IGNORED loop_guard');
  });

  it('may have fields of a later release, 64-bit numbers in either form, and names in either case', async () => {
    const { externalConversationId, ...rest_ } = bench.event({ eventTimeMs: '1700000000000', newField: { a: 1 } });
    const { sessionId } = (await bench.send({ ...rest_, external_conversation_id: externalConversationId })).consumer
      ?.session ?? { sessionId: '' };
    const [message] = await bench.messages(sessionId);
    expect(message?.createdAt).toBe('1700000000000000');
  });

  it('is refused with the field that is wrong', async () => {
    expect(await bench.refused(bench.event({ eventId: '' }))).toBe('400 FIELD_INVALID');
    expect(await bench.refused(bench.event({ externalConversationId: 'x'.repeat(513) }))).toBe('400 FIELD_INVALID');
    expect(await bench.refused(bench.event({ text: 'x'.repeat(300_000) }))).toBe('429 TOO_LARGE');
    expect(await bench.refused(bench.event({ text: 'x'.repeat(1_100_000) }))).toBe('413 TOO_LARGE');
    expect(await bench.refused(bench.event({ matchFields: { constructor: 'x' } }))).toBe('200');
  });
});

describe('a conversation', () => {
  const said = (fields: object) => bench.session(bench.event({ matchFields: { team: 'kept' }, ...fields }));

  it('continues in its session where the connector reuses sessions, thread by thread', async () => {
    const root = await said({ externalConversationId: 'r' });
    expect(await said({ externalConversationId: 'r' })).toBe(root);
    const thread = await said({ externalConversationId: 'r', externalThreadId: 't' });
    expect(thread).not.toBe(root);
    expect(await said({ externalConversationId: 'r', externalThreadId: 't' })).toBe(thread);
    await rest.ok(`DELETE /v1/ns/default/agents/helper/sessions/${root}`);
    expect(await said({ externalConversationId: 'r' })).not.toBe(root);
  });

  it('begins one session, also with twenty messages at once', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => said({ externalConversationId: 'many' })));
    expect(new Set(sessions).size).toBe(1);
  });

  it('has a session for each message by default, and none where the pinned one is missing', async () => {
    expect(await bench.session(bench.event())).not.toBe(await bench.session(bench.event()));
    const session = { agent: { name: 'helper' }, continuity: 'pinned', sessionId: 'none' };
    await bench.apply(bench.connectorDocument('pinned', { team: 'pinned' }, { consumer: { session } }));
    const event = bench.event({ matchFields: { team: 'pinned' } });
    expect(await bench.refused(event)).toBe('404 SESSION_NOT_FOUND');
    const missing = { consumer: { session: { agent: { name: 'nobody' } } } };
    await bench.apply(bench.connectorDocument('agentless', { team: 'agentless' }, missing));
    expect(await bench.refused(bench.event({ matchFields: { team: 'agentless' } }))).toBe('404 AGENT_NOT_FOUND');
  });
});

describe('an attachment', () => {
  const bytes = Buffer.from('a picture');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const upload = async (query = '', className = 'chat') => {
    const answer = await rest.fetch(`/v1/connectors/attachments?filename=a.png${query}`, {
      method: 'POST',
      headers: { 'content-type': 'image/png', ...bench.bearer(className) },
      body: bytes,
    });
    return { status: answer.status, object: (await answer.json()) as { readonly key: string } };
  };

  it('that was uploaded is a part of the message', async () => {
    const { object } = await upload(`&sha256=${sha256}`);
    expect(object).toMatchObject({
      sha256,
      sizeBytes: String(bytes.length),
      mediaType: 'image/png',
      filename: 'a.png',
    });
    const session = await bench.session(bench.event({ text: '', attachments: [{ key: object.key }] }));
    const [message] = await bench.messages(session);
    expect(message?.parts.map(({ partType }) => partType)).toEqual(['SESSION_MESSAGE_PART_TYPE_IMAGE']);
  });

  it('may be a file of the namespace, by the key of its bytes alone', async () => {
    const content = Buffer.from('a kept picture').toString('base64');
    const file = { spec: { path: '/kept.png', mediaType: 'image/png' } };
    const { file: made } = await rest.ok<{ file: { status: { objectRef: { key: string } } } }>(
      'POST /v1/ns/default/files',
      { file, content, filename: 'kept.png' },
    );
    const { key } = made.status.objectRef;
    const session = await bench.session(bench.event({ text: '', attachments: [{ key }] }));
    const [message] = await bench.messages(session);
    expect(message?.parts).toMatchObject([{ partType: 'SESSION_MESSAGE_PART_TYPE_IMAGE', name: 'kept.png' }]);
  });

  it('is kept as long as the run of a workflow that it came with', async () => {
    const { object } = await upload(`&sha256=${sha256}`);
    const flow = { kind: 'Workflow', metadata: { name: 'files' }, spec: { steps: [{ id: 'a', type: 'transform' }] } };
    const consumer = { workflow: { name: 'files' } };
    await bench.apply(flow, bench.connectorDocument('files', { team: 'files' }, { consumer }));
    const { runId } = await bench.send(
      bench.event({ matchFields: { team: 'files' }, attachments: [{ key: object.key }] }),
    );
    const holders = () => app.sql(`SELECT holder FROM object_references WHERE holder = 'run/${runId}'`);
    expect(await holders()).toEqual([{ holder: `run/${runId}` }]);
    await rest.ok('DELETE /v1/ns/default/resources/Workflow/files');
    await vi.waitFor(async () => expect(await holders()).toEqual([]), { timeout: 60_000, interval: 20 });
  });

  it('is refused where it is not that of the registration, or differs; no session is left', async () => {
    const { object } = await upload();
    const count = () => app.sql("SELECT count(*) AS count FROM resources WHERE kind = 'Session'");
    const before = await count();
    const refused = (attachment: object) => bench.refused(bench.event({ attachments: [attachment] }));
    expect(await refused({ key: 'nothing' })).toBe('400 FIELD_INVALID');
    expect(await refused({ key: object.key, sha256: 'f'.repeat(64) })).toBe('400 FIELD_INVALID');
    expect(await refused({ key: object.key, sizeBytes: 5 })).toBe('400 FIELD_INVALID');
    await bench.apply(bench.classDocument('foreign'));
    await bench.becomes('ConnectorClass', 'foreign', 'ready');
    const event = bench.event({ attachments: [{ key: object.key }] });
    expect(await bench.refused(event, bench.bearer('foreign'))).toBe('400 FIELD_INVALID');
    expect(await count()).toEqual(before);
    expect((await upload('&sha256=00')).status).toBe(400);
  });
});

describe('a channel', () => {
  it('gets the message once, and agents take it by their subscriptions or because the connector names them', async () => {
    const agent = { kind: 'Agent', metadata: { name: 'caller' }, spec: { systemPrompt: 'x' } };
    const consumer = { channel: { channel: { name: 'room' }, agent: { name: 'caller' } } };
    await bench.apply(agent, bench.connectorDocument('calls', { team: 'calls' }, { consumer }), {
      kind: 'ChannelSubscription',
      metadata: { name: 'all' },
      spec: { channel: 'room', agent: 'helper', trigger: 'all' },
    });
    expect(await bench.became(bench.event({ matchFields: { team: 'calls' }, text: 'who is there' }))).toBe(
      'ACCEPTED accepted',
    );
    const { messages } = await rest.ok<{ messages: readonly object[] }>('GET /v1/ns/default/channels/room/messages');
    expect(messages).toMatchObject([{ author: 'Ada', authorKind: 'user', content: 'who is there' }]);
    const sessions = async (name: string) =>
      (
        await rest.ok<{ sessions: readonly object[] }>(
          `GET /v1/ns/default/agents/${name}/sessions?labelSelector=svc/channel%3Droom`,
        )
      ).sessions;
    expect([await sessions('caller'), await sessions('helper')]).toMatchObject([[{}], [{}]]);
  });

  it('that is closed takes none, and the event is answered so', async () => {
    await bench.apply({
      kind: 'Channel',
      metadata: { name: 'room', annotations: { 'option.svc/channel-state': 'closed' } },
      spec: {},
    });
    expect(await bench.became(bench.event({ matchFields: { team: 'room' } }))).toBe('REJECTED channel_closed');
  });
});

describe('a workflow', () => {
  it('runs once with the event as its input, and its reply is delivered', async () => {
    const consumer = { workflow: { name: 'flow', namespace: 'default' } };
    const steps = [{ id: 'a', type: 'transform', input: { said: '${$.input.message.text}' } }];
    const flow = {
      kind: 'Workflow',
      metadata: { name: 'flow' },
      spec: { steps, output: { reply: 'You said ${$.steps.a.output.said}.' } },
    };
    await bench.apply(flow, bench.connectorDocument('flows', { team: 'flows' }, { consumer }));
    const event = bench.event({ matchFields: { team: 'flows' }, externalConversationId: 'flow', text: 'go' });
    const answer = await bench.send(event);
    expect(answer).toMatchObject({
      reason: 'accepted',
      connectorName: 'flows',
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(await bench.send(event)).toMatchObject({ reason: 'duplicate' });
    await vi.waitFor(() => expect(service.deliveries('flow')).toHaveLength(1), { timeout: 60_000, interval: 20 });
    expect(service.deliveries('flow')[0]?.body).toMatchObject({ text: 'You said go.' });
    const { runs } = await rest.ok<{ runs: readonly object[] }>('GET /v1/ns/default/workflows/flow/runs');
    expect(runs).toMatchObject([{ id: answer.runId, status: 'COMPLETED' }]);
  });

  it('that is missing refuses the event, which is taken once it is there', async () => {
    const consumer = { workflow: { name: 'absent' } };
    await bench.apply(bench.connectorDocument('absent', { team: 'absent' }, { consumer }));
    expect(await bench.refused(bench.event({ matchFields: { team: 'absent' } }))).toBe('404 WORKFLOW_NOT_FOUND');
  });
});

it('malformed events are refused with their field, and none of them is taken', async () => {
  const send = (body: string) =>
    rest.fetch('/v1/connectors/message-events', {
      method: 'POST',
      body,
      headers: { ...bench.bearer(), 'content-type': 'application/json' },
    });
  const cases: readonly (readonly [string, string])[] = [
    ['{', 'JSON_INVALID'],
    ['[]', 'JSON_INVALID'],
    ['{"eventId":5}', 'eventId'],
    ['{"eventId":"m","sender":{"externalId":{}}}', 'sender.externalId'],
    ['{"eventId":"m","eventTimeMs":1.5}', 'eventTimeMs'],
    ['{"eventId":"m","text":"half a \\ud83d"}', 'text'],
    ['{"eventId":"m","attachments":5}', 'attachments'],
  ];
  for (const [body, named] of cases) {
    const answer = await send(body);
    expect([body, answer.status, await answer.text()]).toEqual([body, 400, expect.stringContaining(named)]);
  }
  const accepted = await app.sql("SELECT event_id FROM connector_events WHERE event_id = 'm'");
  expect(accepted).toEqual([]);
});

it('what was accepted and where conversations continue survives a restart and another registration', async () => {
  const event = bench.event({ matchFields: { team: 'kept' }, externalConversationId: 'survives' });
  const session = await bench.session(event);
  await app.restart();
  await bench.apply(bench.classDocument('chat', {}, { 'option.svc/reregister': 'x' }));
  expect(await bench.became(event)).toBe('DUPLICATE duplicate');
  const next = bench.event({ matchFields: { team: 'kept' }, externalConversationId: 'survives' });
  expect(await bench.session(next)).toBe(session);
});
