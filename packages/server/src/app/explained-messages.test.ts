import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest, ConnectorBench, ConnectorServiceUnderTest } from './testing/index.ts';

const service = ConnectorServiceUnderTest.ofSuite();
const app = AppUnderTest.ofSuite({ 'limits.channelAgentRate': '5' });
const { rest } = app;
const bench = new ConnectorBench(app, service);
const NS = '/v1/ns/default';
const inRoom = { consumer: { channel: { channel: { name: 'room' }, agent: { name: 'clerk' } } } };

interface Route {
  readonly routeId: string;
  readonly connector: string;
  readonly outcome: string;
}

interface Subscription {
  readonly subscription: string;
  readonly agent: string;
  readonly outcome: string;
  readonly error: string;
}

interface Explained {
  readonly status: string;
  readonly reason: string;
  readonly explanation: string;
  readonly ns: string;
  readonly connector: string;
  readonly session: string;
  readonly answersRequest: boolean;
  readonly consumer?: { readonly session?: { readonly sessionId: string; readonly agent: object } };
  readonly routes: readonly Route[];
  readonly subscriptions: readonly Subscription[];
}

const explain = (connector: string, event: object): Promise<Explained> =>
  rest.ok<Explained>(`POST ${NS}/connectors/${connector}/message-events:explain`, { event });
const refused = (connector: string, body: object): Promise<string> =>
  rest.outcome(`POST ${NS}/connectors/${connector}/message-events:explain`, body);
const explainPost = async (body: object, channel = 'room'): Promise<readonly string[]> =>
  (
    await rest.ok<{ subscriptions: readonly Subscription[] }>(`POST ${NS}/channels/${channel}/messages:explain`, body)
  ).subscriptions.map(({ subscription, outcome, error }) => `${subscription} ${outcome} ${error}`.trimEnd());

/** What is stored of messages: sessions of the agents, messages of the room, events of the class. */
const counts = async () => {
  const sessions = await Promise.all(
    ['helper', 'clerk'].map(async (agent) => {
      const { sessionIds } = await rest.ok<{ sessionIds: readonly string[] }>(`GET ${NS}/agents/${agent}/sessions`);
      return sessionIds.length;
    }),
  );
  const room = await rest.ok<{ messages: readonly object[] }>(`GET ${NS}/channels/room/messages`);
  const runs = await rest.ok<{ runs: readonly object[] }>(`GET ${NS}/workflows/flow/runs`);
  return { sessions, room: room.messages.length, runs: runs.runs.length };
};

const subscription = (name: string, spec: object) =>
  rest.ok(`POST ${NS}/channels/room/subscriptions`, { subscription: { metadata: { name }, spec } });

beforeAll(async () => {
  await bench.apply(
    { kind: 'Agent', metadata: { name: 'helper' }, spec: { systemPrompt: 'x' } },
    { kind: 'Agent', metadata: { name: 'clerk' }, spec: { systemPrompt: 'x' } },
    { kind: 'Agent', metadata: { name: 'leaving' }, spec: { systemPrompt: 'x' } },
    { kind: 'Channel', metadata: { name: 'room' }, spec: {} },
    { kind: 'Channel', metadata: { name: 'shut' }, spec: {} },
    {
      kind: 'Workflow',
      metadata: { name: 'flow' },
      spec: { steps: [{ id: 'a', type: 'transform' }] },
    },
    bench.classDocument('chat'),
    bench.connectorDocument('team-one', { team: 't1' }),
    bench.connectorDocument(
      'reusing',
      { team: 'kept' },
      { consumer: { session: { agent: { name: 'helper' }, continuity: 'reuse' } } },
    ),
    bench.connectorDocument('posts', { team: 'room' }, inRoom),
    bench.connectorDocument('posts-shut', { team: 'shut' }, { consumer: { channel: { channel: { name: 'shut' } } } }),
    bench.connectorDocument('runs', { team: 'flow' }, { consumer: { workflow: { name: 'flow' } } }),
    bench.connectorDocument('astray', { team: 'astray' }, { consumer: { session: { agent: { name: 'nobody' } } } }),
    bench.connectorDocument('off', { team: 'off' }, { enabled: false }),
    bench.connectorDocument('narrow', { team: 't1', channel: 'c' }),
  );
  await subscription('all', { agent: 'helper', trigger: 'all' });
  await subscription('asked', { agent: 'helper', trigger: 'manual' });
  await subscription('gone', { agent: 'leaving', trigger: 'mention' });
  await rest.ok(`DELETE ${NS}/resources/Agent/leaving`);
  await rest.ok(`PUT ${NS}/channels/shut`, { channel: { metadata: { name: 'shut' }, status: { phase: 'closed' } } });
  await bench.becomes('Connector', 'team-one', 'ready');
  await bench.becomes('Connector', 'narrow', 'ready');
});

describe('an explained event', () => {
  it('shows its route, its consumer and that a session would be made, and leaves nothing behind', async () => {
    const before = await counts();
    const answer = await explain('team-one', { text: 'hello', externalConversationId: 'c' });
    expect(answer).toMatchObject({
      status: 'CONNECTOR_MESSAGE_EVENT_STATUS_ACCEPTED',
      reason: 'accepted',
      ns: 'default',
      connector: 'team-one',
      session: 'new',
      answersRequest: false,
    });
    expect(answer.consumer?.session).toMatchObject({ agent: { name: 'helper', namespace: 'default' }, sessionId: '' });
    const outcomes = Object.fromEntries(answer.routes.map(({ connector, outcome }) => [connector, outcome]));
    expect(outcomes).toMatchObject({ 'team-one': 'matched', reusing: 'field_differs', narrow: 'field_missing' });
    expect(answer.routes.find(({ connector }) => connector === 'reusing')).toEqual({
      routeId: 'team?team=kept',
      ns: 'default',
      connector: 'reusing',
      outcome: 'field_differs',
      field: 'team',
      wanted: 'kept',
      given: 't1',
    });
    expect(await counts()).toEqual(before);
  });

  it('goes the way that the same event goes when it comes', async () => {
    const fields = { matchFields: { team: 't1', channel: 'c' }, externalConversationId: 'way' };
    const told = await explain('team-one', { text: 'hello', ...fields });
    expect(told).toMatchObject({ connector: 'narrow', session: 'new' });
    expect(told.routes.slice(0, 2).map(({ connector, outcome }) => `${connector} ${outcome}`)).toEqual([
      'narrow matched',
      'team-one later',
    ]);
    expect((await bench.send(bench.event(fields))).connectorName).toBe('narrow');
  });

  it('continues in the session that its conversation has', async () => {
    const conversation = { externalConversationId: 'goes on' };
    expect(await explain('reusing', { text: 'hello', ...conversation })).toMatchObject({ session: 'new' });
    const sessionId = await bench.session(bench.event({ matchFields: { team: 'kept' }, ...conversation }));
    const again = await explain('reusing', { text: 'more', ...conversation });
    expect(again).toMatchObject({ session: 'existing', consumer: { session: { sessionId, continuity: 'reuse' } } });
    const thread = await explain('reusing', { text: 'more', ...conversation, externalThreadId: 't' });
    expect(thread).toMatchObject({ session: 'new' });
  });

  it('says what every subscription of its channel would do, next to the agent that is called anyway', async () => {
    const before = await counts();
    const { subscriptions, session } = await explain('posts', { text: '@leaving look' });
    expect(session).toBe('');
    expect(subscriptions.map(({ subscription: name, agent, outcome }) => [name, agent, outcome])).toEqual([
      ['', 'clerk', 'called'],
      ['all', 'helper', 'called'],
      ['asked', 'helper', 'not_named'],
      ['gone', 'leaving', 'failed'],
    ]);
    expect(subscriptions[3]?.error).toContain('AGENT_NOT_FOUND');
    expect(await counts()).toEqual(before);
  });

  it('starts no run', async () => {
    const before = await counts();
    expect(await explain('runs', { text: 'hello' })).toMatchObject({
      reason: 'accepted',
      consumer: { workflow: { name: 'flow', namespace: 'default' } },
    });
    expect(await counts()).toEqual(before);
  });

  it.each([
    ['team-one', { eventKind: 'CONNECTOR_MESSAGE_EVENT_KIND_DELETED' }, 'IGNORED unsupported_event_kind'],
    ['team-one', { text: ' ' }, 'IGNORED empty_message'],
    ['team-one', { matchFields: { team: 'none' } }, 'UNMATCHED no_route'],
    ['off', {}, 'REJECTED connector_disabled'],
    ['posts-shut', {}, 'REJECTED channel_closed'],
    ['astray', {}, 'UNSPECIFIED AGENT_NOT_FOUND'],
  ])('of %s with %j is answered with its reason', async (connector, fields, wanted) => {
    const { status, reason, explanation } = await explain(connector, { text: 'hello', ...fields });
    expect(`${status.replace('CONNECTOR_MESSAGE_EVENT_STATUS_', '')} ${reason}`).toBe(wanted);
    expect(explanation).not.toBe('');
  });

  it('shows routes that no connector wants, are held by another, or are off', async () => {
    await bench.apply(bench.connectorDocument('second', { team: 't1' }));
    await bench.becomes('Connector', 'second', 'invalid');
    const { routes } = await explain('second', { text: 'hello', matchFields: { team: 't1', channel: 'new' } });
    const shown = routes.map(({ routeId, connector, outcome }) => `${routeId} ${connector} ${outcome}`);
    expect(shown).toContain('channel?team=t1&channel=new  no_connector');
    expect(shown).toContain('team?team=t1 team-one matched');
    expect(shown).toContain('team?team=t1 second route_conflict');
    const off = await explain('off', { text: 'hello' });
    expect(off.routes[0]).toMatchObject({ connector: 'off', outcome: 'disabled' });
  });

  it('counts for no limit, also of a program that may say no more', async () => {
    const bot = { text: 'hello', sender: { kind: 'bot', externalId: 'b' }, externalConversationId: 'explained bots' };
    const reasons = new Set<string>();
    for (let count = 0; count < 45; count += 1) reasons.add((await explain('team-one', bot)).reason);
    expect([...reasons]).toEqual(['accepted']);
  });

  it('is refused where its form is wrong', async () => {
    expect(await refused('team-one', {})).toBe('400 FIELD_INVALID');
    expect(await refused('team-one', { event: 7 })).toBe('400 FIELD_INVALID');
    expect(await refused('team-one', { event: { text: 'x', nonsense: 1 } })).toBe('400 FIELD_UNKNOWN');
    expect(await refused('team-one', { event: { text: 'x', externalThreadId: 'x'.repeat(513) } })).toBe(
      '400 FIELD_INVALID',
    );
    expect(await refused('team-one', { event: { text: 'x'.repeat(300_000) } })).toBe('429 TOO_LARGE');
    expect(await refused('team-one', { event: { text: 'x', connectorClass: 'other' } })).toBe('400 CLASS_MISMATCH');
    expect(await refused('team-one', { event: { text: 'x', registrationId: 'nonsense' } })).toBe('400 FIELD_INVALID');
    expect(await refused('nobody', { event: { text: 'x' } })).toBe('404 CONNECTOR_NOT_FOUND');
  });
});

describe('an explained message of a channel', () => {
  it('shows what calls each agent and what keeps the others, and is not posted', async () => {
    const before = await counts();
    expect(await explainPost({ content: 'hello', author: 'ann' })).toEqual([
      'all called',
      'asked not_named',
      'gone not_mentioned',
    ]);
    expect(await explainPost({ content: '@leaving?', author: 'ann', subscriptionNames: ['asked'] })).toEqual([
      'all called',
      'asked called',
      'gone failed AGENT_NOT_FOUND: agent not found: default/leaving',
    ]);
    expect(await explainPost({ content: '@helper', authorKind: 'agent', author: 'helper' })).toEqual([
      'all own_message',
      'asked not_named',
      'gone not_mentioned',
    ]);
    expect(await counts()).toEqual(before);
  });

  it('that an agent published meets the guards against loops', async () => {
    await rest.ok(`POST ${NS}/channels`, { channel: { metadata: { name: 'talk' } } });
    await rest.ok(`POST ${NS}/channels/talk/subscriptions`, {
      subscription: {
        metadata: { name: 'echo' },
        spec: { agent: 'helper', trigger: 'all', metadata: { agentMessages: 'route' } },
      },
    });
    await rest.ok(`POST ${NS}/channels/talk/subscriptions`, {
      subscription: { metadata: { name: 'people' }, spec: { agent: 'helper', trigger: 'all' } },
    });
    const published = { content: 'hello', author: 'clerk' };
    expect(await explainPost({ ...published, hops: 1 }, 'talk')).toEqual(['echo called', 'people agent_messages_off']);
    expect(await explainPost({ ...published, hops: 99 }, 'talk')).toEqual([
      'echo hops_exceeded',
      'people hops_exceeded',
    ]);
    const posted = { content: 'hello', authorKind: 'agent', author: 'clerk' };
    for (let count = 0; count < 5; count += 1) await rest.ok(`POST ${NS}/channels/talk/messages`, posted);
    const [echo] = await explainPost(posted, 'talk');
    expect(echo).toBe('echo loop_guard LOOP_GUARD: agents wrote 5 messages in this channel within a minute');
  });

  it('is refused as the message would be', async () => {
    const outcome = (body: object, channel = 'room') =>
      rest.outcome(`POST ${NS}/channels/${channel}/messages:explain`, body);
    expect(await outcome({ content: ' ' })).toBe('400 FIELD_INVALID');
    expect(await outcome({ content: 'x'.repeat(300_000) })).toBe('429 TOO_LARGE');
    expect(await outcome({ content: 'x', hops: -1 })).toBe('400 FIELD_INVALID');
    expect(await outcome({ content: 'x', attachments: [{ key: 'no/such' }] })).toBe('400 FIELD_INVALID');
    expect(await outcome({ content: 'x' }, 'shut')).toBe('400 CHANNEL_CLOSED');
    expect(await outcome({ content: 'x' }, 'nobody')).toBe('404 CHANNEL_NOT_FOUND');
  });
});
