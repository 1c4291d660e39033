import { beforeAll, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite({
  'models.prices': JSON.stringify({ 'demo/echo': { input: 10, output: 20, cachedInput: 1, cacheWrite: 12 } }),
  'runtime.concurrency': '250',
});

interface Session {
  readonly sessionId: string;
  readonly totalUsage?: { readonly totalTokens: string; readonly costMicros?: string };
  readonly messages: readonly {
    readonly parts: readonly { readonly partType: string; readonly payloadJson: string }[];
  }[];
}

interface Answer {
  readonly turnId: string;
  readonly turnState: string;
  readonly errorReason: string;
  readonly errorMetadata: Readonly<Record<string, string>>;
}

interface Policy {
  readonly resource: { readonly status: { readonly usagePolicy: Status } };
}

interface Status {
  readonly hard: readonly { readonly used: string; readonly raises?: readonly unknown[] }[];
}

const sessionsOf = (agent: string): string => `/v1/ns/default/agents/${agent}/sessions`;
const newSession = async (agent: string): Promise<string> =>
  (await app.rest.ok<Session>(`POST ${sessionsOf(agent)}`, {})).sessionId;
const send = (agent: string, session: string, message: string): Promise<Answer> =>
  app.rest.ok<Answer>(`POST ${sessionsOf(agent)}/${session}/message`, { message, waitSeconds: 30 });
const apply = (text: string): Promise<unknown> => app.rest.ok('POST /v1/manifests:apply', { text });
const statusOf = async (name: string): Promise<Status> =>
  (await app.rest.ok<Policy>(`GET /v1/ns/default/resources/UsagePolicy/${name}`)).resource.status.usagePolicy;
const policy = (name: string, limit: string, annotations = ''): string =>
  `kind: UsagePolicy\nmetadata: {name: ${name}, annotations: {${annotations}}}\nspec: {hard: [{${limit}, window: 1h}]}\n---\n`;

const AGENTS = ['requests', 'tokens', 'money', 'tools', 'free', 'sessions'];

beforeAll(() =>
  apply(
    [
      ...AGENTS.map((name) => `kind: Agent\nmetadata: {name: ${name}}\n---\n`),
      policy('requests', 'metric: llm.requests, max: 25, selector: {agent: requests}'),
      policy('tokens', 'metric: llm.totalTokens, max: 150, selector: {agent: tokens}'),
      policy('money', 'metric: llm.costMicros, max: 20000, selector: {agent: money}'),
      policy('tools', 'metric: tool.calls, max: 17, selector: {agent: tools}'),
      policy('sessions', 'metric: agent.sessions, max: 30, selector: {agent: sessions}'),
    ].join(''),
  ),
);

it('shows what a call cost in its USAGE part, its turn, the sum of its session and the metrics', async () => {
  const session = await newSession('free');
  const usage = { input_tokens: 1_000, cached_input_tokens: 400, cache_write_tokens: 100, output_tokens: 50 };
  const { turnId } = await send('free', session, `hi\n!usage ${JSON.stringify(usage)}`);
  const cost = 500 * 10 + 400 * 1 + 100 * 12 + 50 * 20;
  await send('free', session, `hi\n!usage ${JSON.stringify({ input_tokens: 10, output_tokens: 0 })}`);
  const shown = await app.rest.ok<Session>(`GET ${sessionsOf('free')}/${session}`);
  expect(shown.totalUsage).toMatchObject({ totalTokens: '1060', costMicros: String(cost + 100) });
  const parts = shown.messages.flatMap((message) => message.parts).filter((part) => part.partType.endsWith('USAGE'));
  expect(JSON.parse(parts[0]?.payloadJson ?? '{}')).toMatchObject({ cost_micros: cost, cost: cost / 1e6 });
  const { turn } = await app.rest.ok<{ turn: Session & { usage: unknown } }>(
    `GET ${sessionsOf('free')}/${session}/turns/${turnId}`,
  );
  expect(turn.usage).toMatchObject({ costMicros: String(cost) });
  const metrics = await (await fetch(`${app.url}/metrics`)).text();
  expect(metrics).toMatch(/svc_llm_cost_micros_total\{.*demo.*echo.*\} 7[67]\d\d/);
});

it('holds 200 turns at once to limits of requests, tool calls, sessions, tokens and money', async () => {
  const turns = async (agent: string, message: string): Promise<readonly Answer[]> => {
    const sessions = await Promise.all(Array.from({ length: 40 }, () => newSession(agent)));
    return Promise.all(sessions.map((session) => send(agent, session, message)));
  };
  const opened = Promise.all(
    Array.from({ length: 40 }, () => app.rest.call(`POST ${sessionsOf('sessions')}`, {}).then(({ status }) => status)),
  );
  const [requests, tokens, money, tools, free] = await Promise.all([
    turns('requests', 'one two three'),
    turns('tokens', 'one two three'),
    turns('money', 'one two three'),
    turns('tools', '!tool current_time {}'),
    turns('free', 'one two three'),
  ]);
  const done = (answers: readonly Answer[]): number =>
    answers.filter(({ turnState }) => turnState === 'TURN_STATE_COMPLETED').length;
  const refused = (answers: readonly Answer[]): number =>
    answers.filter(({ errorReason }) => errorReason === 'quota_exceeded').length;
  const used = async (name: string): Promise<number> => Number((await statusOf(name)).hard[0]?.used);
  expect([done(requests), refused(requests), await used('requests')]).toEqual([25, 15, 25]);
  expect([done(tools), refused(tools), await used('tools')]).toEqual([17, 23, 17]);
  expect((await opened).filter((status) => status === 200)).toHaveLength(30);
  expect(await used('sessions')).toBe(30);
  expect(done(free)).toBe(40);
  // Every call in flight adds its own tokens at most, once the limit is reached.
  expect(done(tokens) + refused(tokens)).toBe(40);
  expect(await used('tokens')).toBeLessThan(150 + 40 * 20);
  expect(done(money)).toBeGreaterThan(0);
  expect(done(money) + refused(money)).toBe(40);
  // The demo model counts as the estimate does, so that nothing is spent beyond the limit.
  expect(await used('money')).toBeLessThanOrEqual(20_000);
});

it('asks for more where the policy says so: a raise lets the turn go on, a refusal fails it', async () => {
  await apply(
    `${policy('asking', 'metric: llm.requests, max: 1, selector: {agent: asker}', 'option.svc/on-exceeded: ask')}kind: Agent\nmetadata: {name: asker}\n`,
  );
  const session = await newSession('asker');
  expect(await send('asker', session, 'one')).toMatchObject({ turnState: 'TURN_STATE_COMPLETED' });
  const path = `${sessionsOf('asker')}/${session}`;
  const ask = async (text: string): Promise<{ readonly turnId: string; readonly requestId: string }> => {
    const { turnId } = await app.rest.ok<Answer>(`POST ${path}/message`, { message: text });
    const open = async () => {
      const { turn } = await app.rest.ok<{ turn: { pendingPermissions?: { id: string }[] } }>(
        `GET ${path}/turns/${turnId}`,
      );
      return turn.pendingPermissions?.[0]?.id;
    };
    await expect.poll(open).toBeDefined();
    return { turnId, requestId: (await open()) ?? '' };
  };
  const answer = (requestId: string, decision: string, optionId: string): Promise<unknown> =>
    app.rest.ok(`POST ${path}/permissions/${requestId}`, { decision: `PERMISSION_DECISION_${decision}`, optionId });
  const stateOf = async (turnId: string): Promise<string> =>
    (await app.rest.ok<{ turn: { state: string } }>(`GET ${path}/turns/${turnId}`)).turn.state;
  const first = await ask('two');
  await answer(first.requestId, 'ALLOW', 'raise_100');
  await expect.poll(() => stateOf(first.turnId)).toBe('TURN_STATE_COMPLETED');
  expect((await statusOf('asking')).hard[0]).toMatchObject({ used: '2', raises: [{ amount: '1' }] });
  const second = await ask('three');
  await answer(second.requestId, 'DENY', 'stop');
  await expect.poll(() => stateOf(second.turnId)).toBe('TURN_STATE_FAILED');
  const { turn } = await app.rest.ok<{ turn: { reason: string } }>(`GET ${path}/turns/${second.turnId}`);
  expect(turn.reason).toBe('quota_exceeded');
});
