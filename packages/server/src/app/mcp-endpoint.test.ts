import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../base/index.ts';
import { createMcpConnector } from '../protocols/mcp/connector.ts';
import type { McpCall, McpConnection, McpTaskState } from '../protocols/mcp/contract.ts';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite({
  'auth.mode': 'token',
  'auth.token': 'a-token-of-the-tests',
});
const TOKEN = 'a-token-of-the-tests';
const authorization = { authorization: `Bearer ${TOKEN}` };

/** Revisions of the two eras of the protocol. */
const ERAS = [
  ['2026-07-28', { mode: { pin: '2026-07-28' } }],
  ['2025-11-25', { mode: 'legacy' }],
] as const;

type Negotiation = (typeof ERAS)[number][1];

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

const connect = async (versionNegotiation: Negotiation, query = '', token = TOKEN): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp${query}`), { requestInit }));
  open.push(client);
  return client;
};

const textOf = (result: { readonly content: readonly { readonly type: string; readonly text?: string }[] }): string =>
  result.content.map(({ text }) => text ?? '').join('');

const allTools = async (client: Client) => {
  const found: Awaited<ReturnType<Client['listTools']>>['tools'] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    found.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
};

beforeAll(async () => {
  const { rest } = app;
  const card = { agentCard: { description: 'Knows the weather.' } };
  const make = (what: string, body: object) => rest.ok(`POST ${what}`, body, authorization);
  await make('/v1/ns/default/agents', { name: 'helper', spec: { a2a: card } });
  await make('/v1/ns/default/agents', { name: 'asker', spec: { capabilities: { people: ['ask'] } } });
  await rest.ok('POST /v1/namespaces/acme', {}, authorization);
  await make('/v1/ns/acme/agents', { name: 'clerk', spec: {} });
  const yaml = [
    'kind: Knowledge',
    'metadata: { name: rain, namespace: default }',
    'spec: { path: weather/rain.md, content: "# Rain\\nIt is wet." }',
    '---',
    'kind: Skill',
    'metadata: { name: polite, namespace: default }',
    'spec: { description: how to greet, instructions: Say good day. }',
  ].join('\n');
  const applied = await rest.fetch('/v1/manifests:apply', {
    method: 'POST',
    headers: { ...authorization, 'content-type': 'application/yaml' },
    body: yaml,
  });
  expect(applied.status).toBe(200);
});

describe.each(ERAS)('/mcp for a client of %s', (version, negotiation) => {
  it('offers the agents of a namespace and the operations, in pages', async () => {
    const client = await connect(negotiation);
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    const tools = await allTools(client);
    const names = tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['ask_helper', 'list_agents', 'create_agent', 'send_message']));
    expect(names).not.toContain('ask_clerk');
    expect(names).not.toContain('stream_session_parts');
    const ask = tools.find(({ name }) => name === 'ask_helper');
    expect(ask?.description).toContain('Knows the weather.');
    const list = tools.find(({ name }) => name === 'list_agents');
    expect(list?.annotations?.readOnlyHint).toBe(true);
    expect(list?.inputSchema).toMatchObject({ properties: { ns: { type: 'string' } }, required: ['ns'] });
    expect((await allTools(await connect(negotiation, '?ns=acme'))).map(({ name }) => name)).toContain('ask_clerk');
  });

  it('asks an agent, again in the same conversation, and tells what it writes while it does', async () => {
    const client = await connect(negotiation);
    const first = await client.callTool({ name: 'ask_helper', arguments: { message: 'hello' } });
    expect(textOf(first as never)).toBe('You said: hello');
    const { session_id: session } = first.structuredContent as { readonly session_id: string };
    const told: string[] = [];
    const again = await client.callTool(
      { name: 'ask_helper', arguments: { message: 'one two three', session_id: session } },
      { onprogress: ({ message }) => void told.push(message ?? '') },
    );
    expect(again.structuredContent).toMatchObject({ session_id: session, state: 'completed' });
    expect(told.join('')).toBe('You said: one two three');
    const { items } = await app.rest.ok<{ items: readonly unknown[] }>(
      `GET /v1/ns/default/agents/helper/sessions/${session}/messages`,
      undefined,
      authorization,
    );
    expect(items).toHaveLength(4);
  });

  it('has one effect for calls with one key', async () => {
    const client = await connect(negotiation);
    const _meta = { 'svc/idempotency-key': `key of ${version}` };
    const call = () => client.callTool({ name: 'ask_helper', arguments: { message: 'once' }, _meta });
    const [first, second] = [await call(), await call()];
    expect(second.structuredContent).toEqual(first.structuredContent);
  });

  it('calls operations, and answers their refusals as results that name the field', async () => {
    const client = await connect(negotiation);
    const listed = await client.callTool({ name: 'list_agents', arguments: { ns: 'acme' } });
    expect(listed.structuredContent).toMatchObject({ agents: [{ metadata: { name: 'clerk' } }] });
    const missing = await client.callTool({ name: 'get_agent', arguments: { ns: 'acme', name: 'ghost' } });
    expect(missing.isError).toBe(true);
    expect(JSON.parse(textOf(missing as never))).toMatchObject({ code: 'NOT_FOUND', reason: 'AGENT_NOT_FOUND' });
    const wrong = await client.callTool({ name: 'get_agent', arguments: { ns: 'acme', nam: 'x' } });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong as never)).toContain('nam');
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('no_such_tool');
  });

  it('shows knowledge as documents and skills as prompts', async () => {
    const client = await connect(negotiation);
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([
      { name: 'weather/rain.md', uri: 'knowledge://default/rain', mimeType: 'text/markdown' },
    ]);
    const read = await client.readResource({ uri: 'knowledge://default/rain' });
    expect(read.contents).toMatchObject([{ text: '# Rain\nIt is wet.' }]);
    await expect(client.readResource({ uri: 'knowledge://acme/rain' })).rejects.toThrow('knowledge://acme/rain');
    const { prompts } = await client.listPrompts();
    expect(prompts).toMatchObject([{ name: 'polite', description: 'how to greet' }]);
    const { messages } = await client.getPrompt({ name: 'polite' });
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: 'Say good day.' } }]);
  });

  it('offers a caller only what a grant of his covers, and refuses the rest when it is called', async () => {
    const grants = [{ role: 'viewer', namespace: 'acme' }];
    const { accessToken } = await app.rest.ok<{ accessToken: string }>(
      'POST /v1/auth/tokens',
      { grants },
      authorization,
    );
    const client = await connect(negotiation, '?ns=acme', accessToken);
    const names = (await allTools(client)).map(({ name }) => name);
    expect(names).toContain('get_agent');
    expect(names).not.toContain('create_agent');
    const refused = await client.callTool({ name: 'get_agent', arguments: { ns: 'default', name: 'helper' } });
    expect(JSON.parse(textOf(refused as never))).toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(client.callTool({ name: 'create_agent', arguments: { ns: 'acme', name: 'x' } })).rejects.toThrow();
    const ask = await client.callTool({ name: 'ask_clerk', arguments: { message: 'hi' } });
    expect(JSON.parse(textOf(ask as never))).toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

describe.each(['2026', '2025'] as const)('/mcp for a client of %s that takes tasks', (era) => {
  const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
  const idle = new AbortController().signal;
  const connections: McpConnection[] = [];
  afterEach(async () => {
    for (const connection of connections.splice(0)) await connection.close();
  });
  /** Another connection each time: nothing is kept between them. */
  const client = async (): Promise<McpConnection> => {
    const target = { transport: 'http', url: `${app.url}/mcp`, headers: authorization, isTrusted: true } as const;
    const connection = await connector.connect(target, { era, signal: idle });
    connections.push(connection);
    return connection;
  };
  const ask = async (message: string, more: Partial<McpCall> = {}): Promise<string> => {
    const input = era === '2026' ? { message, wait_seconds: 0 } : { message };
    const call = { tool: 'ask_helper', input, meta: {}, signal: idle, progress: () => undefined, ...more };
    const outcome = await (await client()).call({ ...call, reply: () => undefined, asTask: era === '2025' });
    return 'task' in outcome ? outcome.task.id : JSON.stringify(outcome);
  };
  const stateOf = async (id: string): Promise<McpTaskState> => (await client()).task(id, idle);
  const ended = async (id: string): Promise<McpTaskState> => {
    await expect.poll(async () => (await stateOf(id)).status).toMatch(/completed|failed|cancelled/);
    return stateOf(id);
  };

  it('asks an agent by a task whose id is that of the turn, over a restart', async () => {
    const meta = { 'svc/idempotency-key': `task of ${era}` };
    const id = await ask('hello', { meta });
    expect(await ask('hello', { meta })).toBe(id);
    await app.restart();
    expect(await ended(id)).toMatchObject({
      status: 'completed',
      result: {
        content: [{ text: 'You said: hello' }],
        structured: { turn_id: id, state: 'completed' },
        isError: false,
      },
    });
  });

  it('cancels the turn of a task, and says of a failed one what failed', async () => {
    const id = await ask('!tool ask_user {"question":"?"}', { tool: 'ask_asker' });
    await (await client()).cancelTask(id, idle);
    expect(await ended(id)).toMatchObject({ status: 'cancelled' });
    await (await client()).cancelTask(id, idle);
    const failed = await ended(await ask('!error refused'));
    expect(failed).toMatchObject({ status: 'completed', result: { isError: true } });
  });

  it('knows no task of another namespace, and none that the caller may not see', async () => {
    const id = await ask('hello');
    await ended(id);
    const other = connector.connect(
      { transport: 'http', url: `${app.url}/mcp?ns=acme`, headers: authorization, isTrusted: true },
      { era, signal: idle },
    );
    connections.push(await other);
    for (const wanted of [id, 'nonsense', '01a21fcb-5f11-701a-9ab6-9b2c8b5bba1d']) {
      await expect((await other).task(wanted, idle)).rejects.toMatchObject({ kind: 'rejected' });
      await expect((await other).cancelTask(wanted, idle)).rejects.toMatchObject({ kind: 'rejected' });
    }
  });
});

describe('/mcp', () => {
  it('asks through a task what its turn asks a person, and takes the answer', async () => {
    const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
    const idle = new AbortController().signal;
    const target = { transport: 'http', url: `${app.url}/mcp`, headers: authorization, isTrusted: true } as const;
    const client = await connector.connect(target, { era: '2026', signal: idle });
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const message = `!tool ask_user ${JSON.stringify({ question: 'Which city?', schema })}\n!say thanks`;
    const input = { message, wait_seconds: 0 };
    const call = {
      tool: 'ask_asker',
      input,
      meta: {},
      signal: idle,
      progress: () => undefined,
      reply: () => undefined,
    };
    const outcome = await client.call(call);
    const id = 'task' in outcome ? outcome.task.id : '';
    await expect.poll(async () => (await client.task(id, idle)).status).toBe('input_required');
    const state = await client.task(id, idle);
    const [question] = state.status === 'input_required' ? state.questions : [];
    expect(question?.question).toMatchObject({ message: 'Which city?', schema });
    await client.answerTask(id, { [question?.id ?? '']: { action: 'accept', content: { city: 'Oslo' } } }, idle);
    await expect.poll(() => client.task(id, idle)).toMatchObject({ result: { content: [{ text: 'thanks' }] } });
    await client.close();
  });

  it('lists the tasks of a namespace, and has the result of one once it ended, for clients of 2025', async () => {
    const client = await connect({ mode: 'legacy' });
    const any = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
    const called = (await client.request(
      { method: 'tools/call', params: { name: 'ask_helper', arguments: { message: 'later' }, task: {} } },
      any,
    )) as { readonly task: { readonly taskId: string; readonly status: string } };
    const { taskId } = called.task;
    const result = await client.request({ method: 'tasks/result', params: { taskId } }, any);
    expect(result).toMatchObject({ content: [{ text: 'You said: later' }], _meta: expect.any(Object) });
    const list = (await client.request({ method: 'tasks/list', params: {} }, any)) as {
      readonly tasks: readonly { readonly taskId: string; readonly status: string }[];
    };
    expect(list.tasks.find((task) => task.taskId === taskId)?.status).toBe('completed');
    const page = client.request({ method: 'tasks/list', params: { cursor: 'nonsense' } }, any);
    await expect(page).rejects.toThrow();
  });

  it('answers a client that does not know tasks without one, and refuses its questions about them', async () => {
    const client = await connect({ mode: { pin: '2026-07-28' } });
    const any = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
    const given = await client.callTool({ name: 'ask_helper', arguments: { message: 'hi', wait_seconds: 0 } });
    const { turn_id: taskId } = given.structuredContent as { readonly turn_id: string };
    const asked = client.request({ method: 'tasks/get', params: { taskId } }, any);
    await expect(asked).rejects.toMatchObject({ code: -32_021 });
  });

  it('needs a credential, takes JSON only, and keeps no session', async () => {
    const { rest } = app;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await rest.fetch('/mcp', { method: 'POST', body })).status).toBe(401);
    const typed = await rest.fetch('/mcp', {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'text/plain' },
      body,
    });
    expect(typed.status).toBe(415);
    expect((await rest.fetch('/mcp', { headers: { ...authorization, accept: 'text/event-stream' } })).status).toBe(405);
  });
});
