import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Fault } from '../../../../base/index.ts';
import { storageFull } from '../../../../store/contracts/index.ts';
import { RoutingWorld } from '../testing/routing-world.ts';

describe('a post', () => {
  let world: RoutingWorld;
  beforeEach(async () => {
    world = new RoutingWorld();
    await world.start();
    await world.agent('helper');
    await world.agent('clerk');
    await world.channel('ops', 'Operations');
  });
  afterEach(() => world.close());

  const firstText = async (sessionId: string): Promise<string> => {
    const [message] = await world.engine.messages(sessionId);
    return message?.parts[0]?.content ?? '';
  };

  it('begins a session of each agent that it reaches, in the order of subscriptions', async () => {
    await world.subscribe('ops', 'b-desk', { agent: 'clerk', trigger: 'all' });
    await world.subscribe('ops', 'a-desk', { agent: 'helper' });
    await world.subscribe('ops', 'c-desk', { agent: 'clerk', trigger: 'manual' });
    await world.post('ops', 'before', { author: 'bob' });
    const { message, routedSessions } = await world.post('ops', '@helper\n!say done', { author: 'ann' });
    expect(routedSessions.map(({ subscription, agent, error }) => [subscription, agent, error])).toEqual([
      ['a-desk', 'helper', ''],
      ['b-desk', 'clerk', ''],
    ]);
    const [routed] = routedSessions;
    const text = await firstText(routed?.sessionId ?? '');
    expect(text).toContain('Message in channel ops (Operations). You are helper.');
    expect(text).toContain(`Message ${message?.id} of user ann:\n@helper\n!say done`);
    expect(text.split('Messages before it, oldest first:\n')[1]).toBe('user:bob: before');
    const [first] = await world.engine.messages(routed?.sessionId ?? '');
    expect(first?.labels).toMatchObject({
      'svc/message-source': 'channel',
      'svc/channel': 'ops',
      'svc/channel-message': message?.id,
      'svc/channel-subscription': 'a-desk',
      'svc/channel-trigger': 'mention',
      'svc/channel-reply-mode': 'tool',
      'svc/channel-hops': '0',
    });
    expect((await world.events('ops')).slice(-3)).toEqual([
      'MESSAGE_CREATED',
      'SESSION_ROUTED helper a-desk',
      'SESSION_ROUTED clerk b-desk',
    ]);
    await world.settle();
    expect(await world.said('ops')).toEqual(['bob: before', 'ann: @helper\n!say done']);
  });

  it('stays, with the routes that work, when one of three fails', async () => {
    await world.agent('busy', { notReady: 'no model' });
    await world.subscribe('ops', 'a', { agent: 'helper', trigger: 'all' });
    await world.subscribe('ops', 'b', { agent: 'busy', trigger: 'all' });
    await world.subscribe('ops', 'c', { agent: 'clerk', trigger: 'all' });
    const { routedSessions } = await world.post('ops', 'hello');
    expect(routedSessions.map(({ subscription, error }) => `${subscription} ${error}`.trim())).toEqual([
      'a',
      expect.stringMatching(/^b AGENT_NOT_READY: /),
      'c',
    ]);
    expect(routedSessions[1]).toMatchObject({ sessionId: '', turnId: '' });
    expect((await world.events('ops')).map((event) => event.split(' ').slice(0, 3).join(' '))).toEqual([
      'MESSAGE_CREATED',
      'SESSION_ROUTED helper a',
      'ERROR busy b',
      'SESSION_ROUTED clerk c',
    ]);
    expect(await world.said('ops')).toEqual([': hello']);
  });

  it('is refused whole when the store fails in one of its routes', async () => {
    await world.subscribe('ops', 'a', { agent: 'helper', trigger: 'all' });
    await world.subscribe('ops', 'b', { agent: 'clerk', trigger: 'all' });
    const fault = new Fault('UNAVAILABLE', 'STORAGE', 'the database took too long');
    vi.spyOn(world.engine.runtime.admission, 'admit').mockRejectedValueOnce(fault);
    await expect(world.post('ops', 'hello')).rejects.toBe(fault);
    expect(await world.said('ops')).toEqual([]);
    expect(await world.events('ops')).toEqual([]);
  });

  it('shows an agent no more of the channel than its subscription wants', async () => {
    await world.subscribe('ops', 'few', {
      agent: 'helper',
      trigger: 'manual',
      contextPolicy: { mode: 'recent_public', maxMessages: 2 },
    });
    await world.subscribe('ops', 'none', { agent: 'helper', trigger: 'manual', contextPolicy: { mode: 'none' } });
    await world.subscribe('ops', 'some', { agent: 'helper', trigger: 'manual' });
    for (const text of ['one', 'two', 'three']) await world.post('ops', text, { author: 'bob' });
    const { routedSessions } = await world.post('ops', 'now', { subscriptionNames: ['few', 'none', 'some'] });
    const texts = await Promise.all(routedSessions.map(({ sessionId }) => firstText(sessionId)));
    expect(texts[0]?.split('first:\n')[1]).toBe('user:bob: two\nuser:bob: three');
    expect(texts[1]).not.toContain('Messages before it');
    expect(texts[2]?.split('first:\n')[1]).toBe('user:bob: one\nuser:bob: two\nuser:bob: three');
  });

  it('of agents is routed so often a minute, and stored in any case', async () => {
    await world.subscribe('ops', 'desk', { agent: 'helper', trigger: 'all' });
    const asAgent = (content: string) => world.post('ops', content, { authorKind: 'agent', author: 'clerk' });
    for (const text of ['1', '2', '3']) expect((await asAgent(text)).routedSessions.length).toBe(1);
    expect((await asAgent('4')).routedSessions).toEqual([]);
    expect((await world.events('ops')).at(-1)).toMatch(/^ERROR clerk LOOP_GUARD: /);
    expect((await world.post('ops', 'by a person')).routedSessions.length).toBe(1);
    world.clock.advance(61_000);
    expect((await asAgent('5')).routedSessions.length).toBe(1);
    expect((await world.said('ops')).length).toBe(6);
  });
});

describe('an agent in a channel', () => {
  let world: RoutingWorld;
  beforeEach(async () => {
    world = new RoutingWorld();
    await world.start();
    await world.agent('helper');
    await world.agent('clerk');
    await world.channel('ops');
  });
  afterEach(() => world.close());

  const tool = (name: string, input: object): string => `!tool ${name} ${JSON.stringify(input)}`;
  const results = async (sessionId: string): Promise<string> =>
    (await world.engine.messages(sessionId))
      .flatMap(({ parts }) => parts)
      .filter(({ type }) => type === 4)
      .map(({ content }) => content)
      .join('\n');
  const reach = async (replyMode: string, ...lines: readonly string[]): Promise<string> => {
    await world.subscribe('ops', 'desk', { agent: 'helper', replyMode });
    const { routedSessions } = await world.post('ops', ['@helper', ...lines].join('\n'), { author: 'ann' });
    await world.settle();
    return routedSessions[0]?.sessionId ?? '';
  };

  it('publishes what it wants to, and its final text stays private', async () => {
    const session = await reach('tool', tool('channel_publish', { content: ' hello ' }), '!say private');
    expect((await world.said('ops')).slice(1)).toEqual(['helper: hello']);
    expect(await results(session)).toContain('"published":true');
    expect((await world.events('ops')).slice(-1)).toEqual(['MESSAGE_CREATED helper']);
  });

  it('has its final text published where the subscription says so, unless it spoke, skipped, or is silent', async () => {
    await reach('auto', '!say hello');
    expect((await world.said('ops')).at(-1)).toBe('helper: hello');
    for (const lines of [
      [tool('channel_publish', { content: 'by tool' }), '!say text'],
      [tool('channel_skip_reply', { reason: 'nothing to add' }), '!say text'],
      ['!say [SILENT]'],
      ['!say [silent]'],
      ['!error invalid_request'],
    ])
      await reach('auto', ...lines);
    expect((await world.said('ops')).filter((line) => line.startsWith('helper'))).toEqual([
      'helper: hello',
      'helper: by tool',
    ]);
    expect(await world.events('ops')).toContain('PUBLISH_SKIPPED helper desk nothing to add');
  });

  it('cannot answer where replies are off, the channel is closed, or none began its session', async () => {
    const mute = await reach('none', tool('channel_publish', { content: 'x' }), '!say text');
    expect(await results(mute)).toContain('"ok":false');
    expect((await world.said('ops')).length).toBe(1);
    const free = await world.engine.session();
    const { turnId } = await world.engine.send(free, tool('channel_publish', { content: 'x' }));
    await world.engine.ended(turnId);
    expect(await results(free)).toContain('"ok":false');
    const blank = await reach('tool', tool('channel_publish', { content: ' ' }), '!say text');
    expect(await results(blank)).toContain('content must not be blank');
    expect((await world.said('ops')).length).toBe(2);
  });

  it('speaks once, however often its call or the item of its reply runs', async () => {
    const session = await reach('auto', '!say hello');
    const { toolSources: [source] = [], workers = [] } = world.module;
    const context = {
      ...{
        namespace: 'default',
        agent: 'helper',
        sessionId: session,
        turnId: 't',
        callId: 'c',
        idempotencyKey: 'once',
      },
      identity: 'test',
      lineage: [],
      reach: 'own' as const,
      signal: new AbortController().signal,
      progress: () => undefined,
      answers: [],
      nowMicros: 0,
    } as const;
    const tools = await source?.tools({
      grants: {
        namespace: 'default',
        agent: 'helper',
        capabilities: {},
        features: [],
        mcpServers: [],
        connections: [],
      },
      sessionLabels: { 'svc/channel': 'ops' },
      openCalls: [],
      ...context,
    });
    const publish = tools?.find(({ name }) => name === 'channel_publish');
    const first = await publish?.run(context, { content: 'by tool' });
    expect(await publish?.run(context, { content: 'by tool' })).toEqual(first);
    const speaker = {
      namespace: 'default',
      agent: 'helper',
      sessionId: session,
      turnId: 'other',
      cause: { identity: '', lineage: [] },
    };
    const payload = JSON.stringify({ speaker, content: 'by item' });
    const item = { kind: 'channel.reply', key: 'other', payload, token: '' };
    const worker = workers.find(({ kinds }) => kinds.includes('channel.reply'));
    const full = storageFull(new Error('disk'));
    vi.spyOn(world.engine.store, 'write').mockRejectedValueOnce(full);
    await expect(worker?.run(item)).rejects.toBe(full);
    for (let run = 0; run < 2; run++) expect(await worker?.run(item)).toEqual({ done: true });
    expect((await world.said('ops')).slice(1)).toEqual(['helper: hello', 'helper: by tool', 'helper: by item']);
    await world.closeChannel('ops');
    const late = { ...item, payload: item.payload.replaceAll('other', 'third') };
    for (let run = 0; run < 2; run++) expect(await worker?.run(late)).toEqual({ done: true });
    const refusals = (await world.events('ops')).filter((event) => event.startsWith('ERROR'));
    expect(refusals).toEqual(['ERROR helper desk CHANNEL_CLOSED: channel ops is closed']);
    expect((await world.said('ops')).length).toBe(4);
    await expect(publish?.run({ ...context, idempotencyKey: 'twice' }, { content: 'x' })).rejects.toThrow('is closed');
    await world.removeChannel('ops');
    await world.channel('ops');
    const strayed = publish?.run({ ...context, idempotencyKey: 'late' }, { content: 'x' });
    await expect(strayed).rejects.toMatchObject({ reason: 'CHANNEL_NOT_FOUND' });
    const gone = { ...item, payload: item.payload.replaceAll('other', 'fourth') };
    expect(await worker?.run(gone)).toEqual({ done: true });
    expect([await world.said('ops'), await world.events('ops')]).toEqual([[], []]);
  });

  it('hears other agents only where its subscription asks for them', async () => {
    const contextPolicy = { mode: 'none' };
    const metadata = { agentMessages: 'route' };
    await world.agent('quiet');
    await world.subscribe('ops', 'a', { agent: 'helper', metadata, contextPolicy });
    await world.subscribe('ops', 'b', { agent: 'clerk', metadata, contextPolicy });
    await world.subscribe('ops', 'c', { agent: 'quiet', trigger: 'all', replyMode: 'none', contextPolicy });
    const ping = tool('channel_publish', { content: 'hello, @clerk' });
    // The mention is escaped in the call, which is part of what the person writes.
    await world.post('ops', `@helper\n${ping.replace('@clerk', '\\u0040clerk')}\n!say done`, { author: 'ann' });
    await world.settle();
    expect((await world.said('ops')).slice(1)).toEqual(['helper: hello, @clerk']);
    const routes = (await world.events('ops')).filter((event) => event.startsWith('SESSION_ROUTED'));
    expect(routes).toEqual(['SESSION_ROUTED helper a', 'SESSION_ROUTED quiet c', 'SESSION_ROUTED clerk b']);
  });

  it('stops after so many answers in a row when two answer each other for ever', async () => {
    const options = { replyMode: 'auto', metadata: { agentMessages: 'route' } };
    await world.subscribe('ops', 'a', { agent: 'helper', ...options });
    await world.subscribe('ops', 'b', { agent: 'clerk', ...options });
    // Both find the command in what was said before, and so mention each other again and again.
    await world.post('ops', '@helper\n!say @clerk @helper please', { author: 'ann' });
    await world.settle();
    const answers = (await world.said('ops')).filter((line) => !line.startsWith('ann'));
    // The post reaches both. Two answers of each chain are routed, and the third is not.
    expect(answers.length).toBeGreaterThan(2);
    expect(answers.length).toBeLessThanOrEqual(6);
  });
});
