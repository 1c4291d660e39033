import { afterAll, describe, expect, it } from 'vitest';
import { openHttpServer } from '../protocols/mcp/testing/http-server.ts';
import { toolServer } from '../protocols/mcp/testing/tools.ts';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite({ capabilities: '{"schedules":{"delete":false}}' });
const { rest } = app;
const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of open) await one.close();
});

const apply = (kind: string, name: string, spec: object) =>
  rest.ok('POST /v1/manifests:apply', {
    ns: 'default',
    text: JSON.stringify({ kind, metadata: { name, namespace: 'default' }, spec }),
  });
const agent = (name: string, spec: object = {}) => apply('Agent', name, { systemPrompt: 'x', ...spec });

/** A server with its calls, declared under the name. */
const declared = async (name: string) => {
  const log = { calls: [] as { tool: string; input: unknown; meta: unknown }[], cancelled: [] as string[] };
  const server = await openHttpServer(toolServer({ log }));
  open.push(server);
  await apply('McpServer', name, { transport: 'http', target: server.url });
  return log;
};

interface Tried {
  readonly ok?: boolean;
  readonly content?: readonly { readonly text?: string; readonly mediaType?: string; readonly data?: string }[];
  readonly structuredJson?: string;
  readonly failureCode?: string;
  readonly error?: string;
  readonly callId: string;
}
const path = (name: string, tool: string): string => `POST /v1/ns/default/agents/${name}/tools/${tool}:try`;
/** A call by the names of the agent and of the tool. */
const attempt = (called: string, input: object = {}, more: object = {}): Promise<Tried> => {
  const [name = '', tool = ''] = called.split(' ');
  return rest.ok(path(name, tool), { argumentsJson: JSON.stringify(input), ...more });
};

interface Listed {
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly missing: readonly { readonly name: string; readonly kind: string; readonly reason: string }[];
}
const list = (name: string): Promise<Listed> => rest.ok(`GET /v1/ns/default/agents/${name}/tools`);

const audit = async () => {
  const { records } = await rest.ok<{ records: { target: string; outcome: string; operation: string }[] }>(
    'GET /v1/auth/audit?pageSize=200',
  );
  return records.map(({ target, outcome, operation }) => `${operation} ${target} ${outcome}`);
};

describe('ListAgentTools', () => {
  it('shows what the agent has, and why it lacks the rest', async () => {
    await declared('sums');
    await apply('McpServer', 'away', { transport: 'http', target: 'http://127.0.0.1:9/mcp' });
    await apply('McpServer', 'off', { transport: 'http', target: 'http://127.0.0.1:9/mcp', disabled: true });
    const files = ['read', { action: 'create', approval: 'ask' }, { action: 'delete', approval: 'deny' }];
    await agent('lister', {
      capabilities: { files, schedules: ['*'], goals: ['*'] },
      mcpServerRefs: ['sums', 'away', 'off', 'nobody'],
    });
    const { tools, missing } = await list('lister');
    const shown = new Map(tools.map((tool) => [tool['name'], tool]));
    expect(shown.get('calculate')).toMatchObject({ effect: 'read', approval: 'allow' });
    expect(shown.get('create_file')).toMatchObject({ effect: 'write', approval: 'ask', capability: 'files:create' });
    expect(shown.get('create_artifact')).toMatchObject({ needsTurn: true });
    expect(shown.get('mcp_sums_add')).toMatchObject({ effect: 'read', capability: 'mcp:sums/add' });
    expect(JSON.parse(String(shown.get('mcp_sums_add')?.['inputSchemaJson']))).toMatchObject({ required: ['a', 'b'] });
    const reasons = Object.fromEntries(missing.map(({ name, kind, reason }) => [name, `${kind} ${reason}`]));
    expect(reasons).toMatchObject({
      delete_file: 'tool Denied',
      fetch_url: 'tool NotGranted',
      delete_schedule: 'tool SwitchedOff',
      create_goal: 'tool FeatureMissing',
      channel_publish: 'tool Unavailable',
      away: 'mcp_server ConnectFailed',
      off: 'mcp_server Disabled',
      nobody: 'mcp_server NotFound',
    });
    expect(reasons).not.toHaveProperty('sums');
    expect(await rest.outcome('GET /v1/ns/default/agents/nobody/tools')).toBe('404 AGENT_NOT_FOUND');
    expect(await rest.outcome('GET /v1/ns/nowhere/agents/lister/tools')).toBe('404 NAMESPACE_NOT_FOUND');
  });
});

describe('TryTool', () => {
  it('runs a tool of the process and one of a server, and records both', async () => {
    const log = await declared('desk');
    await agent('trier', { mcpServerRefs: ['desk'] });
    const counted = await attempt('trier calculate', { expression: '6*7' });
    expect(counted).toMatchObject({ ok: true, content: [{ text: '42' }] });
    const added = await attempt('trier mcp_desk_add', { a: 40, b: 2 });
    expect(added).toMatchObject({ ok: true, content: [{ text: '42' }], structuredJson: '{"sum":42}' });
    expect(log.calls).toMatchObject([{ input: { a: 40, b: 2 }, meta: { 'svc/idempotency-key': added.callId } }]);
    const media = await attempt('trier mcp_desk_media');
    expect(media.content?.[0]).toMatchObject({ mediaType: 'image/png', data: 'cG5n', sizeBytes: '3' });
    expect(await audit()).toContain('svc.gateway.ToolService/TryTool Agent/default/trier/tools/mcp_desk_add tried');
  });

  it('answers with what a tool reports, asks or waits for', async () => {
    await declared('odd');
    await agent('odd', { mcpServerRefs: ['odd'] });
    const failed = await attempt('odd mcp_odd_fails');
    expect(failed).toMatchObject({ content: [{ text: 'no such order' }] });
    expect([failed.ok ?? false, failed.failureCode ?? '']).toEqual([false, '']);
    expect(await attempt('odd mcp_odd_ask')).toMatchObject({
      failureCode: 'input_needed',
      error: 'the tool asks a person, which it can only in a turn: MCP server odd asks: Which city?',
    });
    expect(await attempt('odd calculate', { expression: '1/' })).toMatchObject({ failureCode: 'invalid_arguments' });
  });

  it('gives a call up when its time is over, and the server learns of it', async () => {
    const log = await declared('slow');
    await agent('slow', { mcpServerRefs: ['slow'] });
    const late = await attempt('slow mcp_slow_slow', {}, { waitSeconds: 1 });
    expect(late).toMatchObject({ failureCode: 'timeout', error: 'no result within 1 s' });
    await expect.poll(() => log.cancelled).toEqual(['slow']);
  });

  it('runs nothing that the agent may not, or that is not called right', async () => {
    const ask = { action: 'create', approval: 'ask' };
    await agent('guarded', { capabilities: { files: ['read', ask], goals: ['*'] }, features: [{ name: 'goals' }] });
    const outcome = (tool: string, input: unknown = {}, more: object = {}): Promise<string> =>
      rest.outcome(path('guarded', tool), {
        argumentsJson: typeof input === 'string' ? input : JSON.stringify(input),
        ...more,
      });
    const file = { path: 'note.txt', content: 'hi' };
    expect(await outcome('nothing')).toBe('404 TOOL_NOT_FOUND');
    expect(await outcome('delete_file', { path: 'a' })).toBe('400 TOOL_NOT_GRANTED');
    expect(await outcome('create_goal', { objective: 'x' })).toBe('400 TOOL_NEEDS_TURN');
    expect(await outcome('create_file', { path: 7 })).toBe('400 TOOL_ARGUMENTS');
    expect(await outcome('create_file', file)).toBe('400 TOOL_NEEDS_CONFIRMATION');
    expect(await outcome('calculate', '{"expression":')).toBe('400 FIELD_INVALID');
    expect(await outcome('calculate', '[1]')).toBe('400 FIELD_INVALID');
    expect(await outcome('calculate', '{"a":'.repeat(200))).toBe('400 JSON_INVALID');
    expect(await outcome('calculate', JSON.stringify({ expression: 'x'.repeat(300_000) }))).toBe('400 FIELD_INVALID');
    expect(await outcome('calculate', { expression: '1' }, { waitSeconds: -1 })).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(path('nobody', 'calculate'), {})).toBe('404 AGENT_NOT_FOUND');
    expect((await audit()).filter((line) => line.includes('Agent/default/guarded/tools'))).toEqual([]);
    expect(await attempt('guarded create_file', file, { confirm: true })).toMatchObject({ ok: true });
    expect((await audit()).slice(0, 2).map((line) => line.replace(/ File\S* /, ' File '))).toEqual([
      'tools/create_file File created',
      'svc.gateway.ToolService/TryTool Agent/default/guarded/tools/create_file tried',
    ]);
  });

  it('has its effect once for an idempotency key, over a restart', async () => {
    const log = await declared('once');
    await agent('once', { mcpServerRefs: ['once'] });
    const body = { argumentsJson: '{"a":1,"b":2}' };
    const key = { 'idempotency-key': 'try-1' };
    const first = await rest.ok(path('once', 'mcp_once_add'), body, key);
    await app.restart();
    const again = await rest.call(path('once', 'mcp_once_add'), body, key);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first, 'true']);
    expect(log.calls).toHaveLength(1);
    expect(await rest.outcome(path('once', 'mcp_once_add'), { argumentsJson: '{}' }, key)).toBe(
      '400 IDEMPOTENCY_MISMATCH',
    );
  });

  it('counts as a tool call of the agent', async () => {
    const text = [
      { kind: 'Namespace', metadata: { name: 'frugal' } },
      { kind: 'Agent', metadata: { name: 'poor', namespace: 'frugal' }, spec: { systemPrompt: 'x' } },
      {
        kind: 'UsagePolicy',
        metadata: { name: 'one', namespace: 'frugal' },
        spec: { hard: [{ metric: 'tool.calls', max: '1', window: '1h' }] },
      },
    ].map((item) => JSON.stringify(item));
    await rest.ok('POST /v1/manifests:apply', { text: text.join('\n---\n') });
    const once = (): Promise<string> =>
      rest.outcome('POST /v1/ns/frugal/agents/poor/tools/current_time:try', { argumentsJson: '{}' });
    expect([await once(), await once()]).toEqual(['200', '429 QUOTA_EXCEEDED']);
  });
});
