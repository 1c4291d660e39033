import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openHttpServer } from '../protocols/mcp/testing/http-server.ts';
import { toolServer } from '../protocols/mcp/testing/tools.ts';
import { AppUnderTest, reasonOf } from './testing/index.ts';

const PROCESS = fileURLToPath(new URL('../protocols/mcp/testing/process-server.ts', import.meta.url));
const SLOW = { timeout: 30_000 };

const app = AppUnderTest.ofSuite({ 'mcp.stdioNamespaces': 'default' });
const { rest } = app;
const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of open) await one.close();
});

const httpServer = async (plain: () => readonly string[] = () => []) => {
  const log = { calls: [] as { tool: string; input: unknown; meta: unknown }[], cancelled: [] as string[] };
  const server = await openHttpServer(toolServer({ plain, log }));
  open.push(server);
  return { ...server, log };
};

const apply = (...documents: readonly object[]) =>
  rest.ok('POST /v1/manifests:apply', {
    ns: 'default',
    text: documents.map((item) => JSON.stringify(item)).join('\n---\n'),
  });
const manifest = (kind: string, name: string, spec: object) => ({
  ...{ kind, metadata: { name, namespace: 'default' }, spec },
});
const agent = (name: string, servers: readonly string[], more: object = {}) =>
  manifest('Agent', name, { systemPrompt: 'x', mcpServerRefs: servers, ...more });

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
}
const status = async (kind: string, name: string) => {
  const { resource } = await rest.ok<{
    resource: { status: Record<string, { phase: string; conditions: Condition[] }> };
  }>(`GET /v1/ns/default/resources/${kind}/${name}`);
  const [{ phase, conditions } = { phase: '', conditions: [] }] = Object.values(resource.status);
  return [phase, ...conditions.map(({ type, status: said, reason }) => `${type} ${said} ${reason}`)];
};

/** Texts of the results of the tools that a message made the model call. */
const call = async (name: string, text: string): Promise<string> => {
  const session = await rest.session(name);
  await rest.send(session, text, { waitSeconds: 30 });
  const { items } = await rest.ok<{ items: { message: { parts: object[] } }[] }>(`GET ${session}/messages`);
  return JSON.stringify(items.flatMap(({ message }) => message.parts));
};

describe('an agent with an MCP server', () => {
  it('calls its tools, and the server says that it is reachable', SLOW, async () => {
    const server = await httpServer();
    await apply(manifest('McpServer', 'sums', { transport: 'http', target: server.url }), agent('adder', ['sums']));
    expect(await call('adder', '!tool mcp_sums_add {"a":40,"b":2}')).toContain('42');
    expect(server.log.calls).toMatchObject([{ tool: 'add', input: { a: 40, b: 2 } }]);
    expect(Object.keys(server.log.calls[0]?.meta ?? {})).toContain('svc/idempotency-key');
    await expect
      .poll(() => status('McpServer', 'sums'), SLOW)
      .toEqual([
        ...['Ready', 'Ready True Ready', 'Reachable True Connected', 'ReferencesResolved True Resolved'],
        'ToolsListed True Listed',
      ]);
  });

  it('loses the tools of a server that is disabled or changed with the next step', SLOW, async () => {
    const server = await httpServer(() => ['one', 'two']);
    const spec = { transport: 'http', target: server.url };
    const allow = (...allowlist: string[]) => ({ ...spec, policy: { tools: { allowlist } } });
    await apply(manifest('McpServer', 'words', allow('one')), agent('speaker', ['words']));
    expect(await call('speaker', '!tool mcp_words_one {}\n!tool mcp_words_two {}')).toMatch(/one.*unknown_tool/);
    await apply(manifest('McpServer', 'words', allow('two', 'three')));
    expect(await call('speaker', '!tool mcp_words_one {}\n!tool mcp_words_two {}')).toMatch(/unknown_tool.*two/);
    await expect.poll(() => status('McpServer', 'words'), SLOW).toContain('ToolsListed False ToolsMissing');
    await apply(manifest('McpServer', 'words', { ...spec, disabled: true }));
    expect(await call('speaker', '!tool mcp_words_two {}')).toContain('unknown_tool');
    expect(await status('McpServer', 'words')).toEqual([
      ...['Disabled', 'Ready True Ready', 'Reachable Unknown Disabled', 'ReferencesResolved True Resolved'],
      'ToolsListed Unknown Disabled',
    ]);
  });

  it('sends what a secret holds now', SLOW, async () => {
    const server = await httpServer();
    const secret = (value: string) =>
      manifest('Secret', 'keys', { data: { token: Buffer.from(value).toString('base64') } });
    const headers = { authorization: 'secret://keys/token' };
    await apply(
      secret('Bearer first'),
      manifest('McpServer', 'locked', { transport: 'http', target: server.url }),
      manifest('McpServerBinding', 'vault', { serverRef: 'locked', headers }),
      agent('opener', ['vault']),
    );
    await call('opener', '!tool mcp_vault_add {"a":1,"b":1}');
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer first');
    await apply(secret('Bearer second'));
    await call('opener', '!tool mcp_vault_add {"a":1,"b":1}');
    expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer second');
    await expect.poll(() => status('McpServerBinding', 'vault'), SLOW).toContain('Reachable True Connected');
  });

  it('that is down costs only its tools, unless the agent requires it', SLOW, async () => {
    const server = await httpServer();
    await server.close();
    const required = { features: [{ type: 'mcp', name: 'gone', required: true }] };
    await apply(
      manifest('McpServer', 'gone', { transport: 'http', target: server.url }),
      agent('patient', ['gone']),
      agent('strict', ['gone'], required),
    );
    expect(await call('patient', '!tool mcp_gone_add {}\n!tool current_time {}')).toMatch(/unknown_tool.*UTC/);
    await expect
      .poll(() => status('McpServer', 'gone'), SLOW)
      .toEqual([
        ...['Degraded', 'Ready False ConnectFailed', 'Reachable False ConnectFailed'],
        ...['ReferencesResolved True Resolved', 'ToolsListed Unknown ConnectFailed'],
      ]);
    await expect.poll(() => status('Agent', 'strict'), SLOW).toContain('FeaturesAvailable False Unavailable');
    const session = await rest.session('strict');
    expect(reasonOf(await rest.call(`POST ${session}/message`, { message: 'hi' }))).toBe('AGENT_NOT_READY');
    const back = await httpServer();
    await apply(manifest('McpServer', 'gone', { transport: 'http', target: back.url }));
    await expect.poll(() => status('Agent', 'strict'), SLOW).toContain('FeaturesAvailable True Available');
    expect(await call('strict', '!tool mcp_gone_add {"a":1,"b":1}')).toContain('"2"');
  });

  it('waits for a person when the server asks, and tells the server what was decided', SLOW, async () => {
    const server = await httpServer();
    await apply(manifest('McpServer', 'asks', { transport: 'http', target: server.url }), agent('asker', ['asks']));
    const session = await rest.session('asker');
    await rest.send(session, '!tool mcp_asks_ask {}\n!say done');
    interface Requests {
      readonly requests: readonly { readonly id: string; readonly prompt?: string }[];
    }
    const list = () => rest.ok<Requests>('GET /v1/ns/default/permission-requests');
    await expect.poll(async () => (await list()).requests.length, SLOW).toBe(1);
    const [request] = (await list()).requests;
    expect(JSON.stringify(request)).toContain('MCP server asks asks: Which city?');
    await rest.ok(`POST ${session}/permissions/${request?.id}`, { decision: 'DENY' });
    await expect
      .poll(async () => JSON.stringify(await rest.ok(`GET ${session}/messages`)), SLOW)
      .toMatch(/decline.*done/);
    expect(
      new Set(server.log.calls.map(({ meta }) => (meta as Record<string, unknown>)['svc/idempotency-key'])).size,
    ).toBe(1);
  });

  it('starts servers that are processes', SLOW, async () => {
    await apply(
      {
        kind: 'McpServer',
        metadata: { name: 'local', namespace: 'default', annotations: { 'option.svc/mcp-protocol': '2026' } },
        spec: { transport: 'stdio', target: process.execPath, args: [PROCESS, 'good'] },
      },
      agent('runner', ['local']),
    );
    await expect.poll(() => status('McpServer', 'local'), SLOW).toContain('Reachable True Connected');
    expect(await call('runner', '!tool mcp_local_add {"a":3,"b":4}')).toContain('"7"');
  });
});
