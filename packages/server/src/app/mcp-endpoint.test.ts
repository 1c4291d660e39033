import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
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

describe('/mcp', () => {
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
