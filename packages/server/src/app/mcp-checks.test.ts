import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { afterAll, describe, expect, it } from 'vitest';
import { openHttpServer } from '../protocols/mcp/testing/http-server.ts';
import { toolServer } from '../protocols/mcp/testing/tools.ts';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;
const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of open) await one.close();
});

type McpFactory = Parameters<typeof openHttpServer>[0];
const serving = async (factory: McpFactory) => {
  const server = await openHttpServer(factory);
  open.push(server);
  return server;
};

/** Declares a server of `default`. */
const declare = (name: string, spec: object, kind = 'McpServer') =>
  rest.ok('POST /v1/manifests:apply', {
    ns: 'default',
    text: JSON.stringify({ kind, metadata: { name, namespace: 'default' }, spec }),
  });

interface Shown {
  readonly name: string;
  readonly allowed?: boolean;
  readonly agentName?: string;
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly description?: string;
  readonly inputSchemaJson: string;
}

interface Checked {
  readonly reachable?: boolean;
  readonly reason: string;
  readonly message: string;
  readonly protocol?: string;
  readonly serverName?: string;
  readonly serverVersion?: string;
  readonly tools?: readonly Shown[];
  readonly toolCount?: number;
  readonly missingTools?: readonly string[];
  readonly tookMs?: string;
}
const check = (name: string, body: object = {}): Promise<Checked> =>
  rest.ok(`POST /v1/ns/default/mcp-servers/${name}:check`, body);

const ANY = fromJsonSchema<Record<string, unknown>>({ type: 'object' });
const answer = () => ({ content: [{ type: 'text' as const, text: 'done' }] });

describe('CheckMcpServer', () => {
  it('answers what the server is and every tool, with what the allowlist takes', async () => {
    const { url } = await serving(toolServer());
    await declare('desk', { transport: 'http', target: url, policy: { tools: { allowlist: ['add', 'gone'] } } });
    const { tools = [], ...found } = await check('desk');
    expect(found).toEqual({
      reachable: true,
      reason: 'Connected',
      message: '6 tools',
      protocol: '2026-07-28',
      serverName: 'test-tools',
      serverVersion: '1.2.3',
      toolCount: 6,
      missingTools: ['gone'],
      tookMs: expect.any(String),
    });
    expect(tools.map(({ name, allowed = false }) => [name, allowed])).toEqual([
      ['add', true],
      ['media', false],
      ['fails', false],
      ['slow', false],
      ['ask', false],
      ['liar', false],
    ]);
    expect(tools[0]).toMatchObject({ description: 'Adds.', agentName: 'mcp_desk_add', readOnly: true });
    expect(JSON.parse(tools[0]?.inputSchemaJson ?? '')).toMatchObject({ type: 'object', required: ['a', 'b'] });
    expect(tools[1]?.agentName ?? '').toBe('');
  });

  it('answers why a server cannot be used, and finds it again as soon as it is back', async () => {
    const server = await serving(toolServer());
    const spec = { transport: 'http', target: server.url };
    await declare('off', { ...spec, disabled: true });
    expect(await check('off')).toMatchObject({
      reason: 'Disabled',
      message: 'the server, or its binding, is disabled',
    });
    await declare('down', { transport: 'http', target: 'http://127.0.0.1:9/mcp' });
    expect(await check('down')).toMatchObject({ reason: 'ConnectFailed', message: expect.stringMatching(/./) });
    await declare('down', spec);
    expect(await check('down')).toMatchObject({ reachable: true, reason: 'Connected' });
    await declare('keyless', { ...spec, headers: { authorization: 'secret://nothing/token' } });
    expect(await check('keyless')).toMatchObject({
      reason: 'ConnectFailed',
      message: expect.stringContaining('nothing'),
    });
    expect(await rest.outcome('POST /v1/ns/default/mcp-servers/nobody:check', {})).toBe('404 MCP_SERVER_NOT_FOUND');
    expect(await rest.outcome('POST /v1/ns/nowhere/mcp-servers/desk:check', {})).toBe('404 NAMESPACE_NOT_FOUND');
  });

  it('connects to what a binding makes of a server', async () => {
    const { url } = await serving(toolServer());
    await declare('base', { transport: 'http', target: url });
    await declare('narrow', { serverRef: 'base', policy: { tools: { allowlist: ['fails'] } } }, 'McpServerBinding');
    const { tools = [] } = await check('narrow');
    expect(tools.flatMap(({ allowed = false, agentName }) => (allowed ? [agentName] : []))).toEqual([
      'mcp_narrow_fails',
    ]);
  });

  it('hides what it sent from a server that repeats it', async () => {
    const echo: McpFactory = () => {
      const server = new McpServer({ name: 'echo', version: '1' });
      const seen = String(echoed.requests.at(-1)?.headers['x-api-key']);
      server.registerTool('tell', { description: `key ${seen}`, inputSchema: ANY }, answer);
      return server;
    };
    const echoed = await serving(echo);
    const data = { token: Buffer.from('Bearer s3cr3t-value').toString('base64') };
    await declare('keys', { data }, 'Secret');
    await declare('echo', { transport: 'http', target: echoed.url, headers: { 'x-api-key': 'secret://keys/token' } });
    expect(echoed.requests.some(({ headers }) => headers['x-api-key'] === 'Bearer s3cr3t-value')).toBe(false);
    const answered = await check('echo');
    expect(echoed.requests.at(-1)?.headers['x-api-key']).toBe('Bearer s3cr3t-value');
    expect(answered.tools?.[0]?.description).toBe('key ***');
    expect(JSON.stringify(answered)).not.toContain('s3cr3t');
  });

  it('bounds what a server says', async () => {
    const huge: McpFactory = () => {
      const server = new McpServer({ name: 'n'.repeat(5_000), version: '1' });
      const inputSchema = fromJsonSchema<object>({ type: 'object', description: 'x'.repeat(60_000) });
      for (let index = 0; index < 50; index++)
        server.registerTool(`tool${index}`, { description: 'd'.repeat(9_000), inputSchema }, answer);
      return server;
    };
    const { url } = await serving(huge);
    await declare('huge', { transport: 'http', target: url });
    const { tools = [], toolCount, serverName } = await check('huge');
    expect(toolCount).toBe(50);
    expect(serverName).toHaveLength(100);
    expect(tools.length).toBeGreaterThan(20);
    expect(tools.length).toBeLessThan(40);
    expect(tools[0]?.description).toHaveLength(4_000);
  });

  it('is recorded, and takes malformed requests as such', async () => {
    await check('off');
    const { records } = await rest.ok<{ records: { target: string; outcome: string; operation: string }[] }>(
      'GET /v1/auth/audit?operation=svc.gateway.ToolService/CheckMcpServer',
    );
    expect(records).toContainEqual(
      expect.objectContaining({ target: 'McpServer/default/off', outcome: 'checked-Disabled' }),
    );
    expect(await rest.outcome('POST /v1/ns/default/mcp-servers/off:check', { identity: 7 })).toMatch(/^400/);
  });
});
