import { afterAll, describe, expect, it } from 'vitest';
import { openHttpServer } from '../protocols/mcp/testing/http-server.ts';
import { TestTasks, taskServer } from '../protocols/mcp/testing/task-server.ts';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite({ 'mcp.stdioNamespaces': 'default' });
const { rest } = app;
const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const one of open) await one.close();
});

/** An agent whose server answers calls with tasks, and a turn that made one. */
const begun = async (name: string, era: '2026' | '2025') => {
  const tasks = new TestTasks();
  const server = await openHttpServer(taskServer(tasks), { era });
  open.push(server);
  const documents = [
    { kind: 'McpServer', metadata: { name, namespace: 'default' }, spec: { transport: 'http', target: server.url } },
    { kind: 'Agent', metadata: { name, namespace: 'default' }, spec: { systemPrompt: 'x', mcpServerRefs: [name] } },
  ];
  const text = documents.map((document) => JSON.stringify(document)).join('\n---\n');
  await rest.ok('POST /v1/manifests:apply', { ns: 'default', text });
  const session = await rest.session(name);
  await rest.send(session, `!tool mcp_${name}_work {}\n!say over`);
  await expect.poll(() => tasks.all.size).toBe(1);
  return { tasks, session };
};

const messages = async (session: string): Promise<string> => JSON.stringify(await rest.ok(`GET ${session}/messages`));

describe('a call that became a task of its server', () => {
  it.each(['2026', '2025'] as const)('(%s) is waited for over a restart, and made once', async (era) => {
    const { tasks, session } = await begun(`long${era}`, era);
    await expect.poll(() => tasks.looks.get('task-1') ?? 0).toBeGreaterThan(1);
    await app.restart();
    const before = tasks.looks.get('task-1') ?? 0;
    await expect.poll(() => tasks.looks.get('task-1') ?? 0).toBeGreaterThan(before);
    tasks.finish('task-1', 'forty-two');
    await expect.poll(() => messages(session)).toMatch(/forty-two.*over/);
    expect(tasks.all.size).toBe(1);
    expect(tasks.cancelled).toEqual([]);
  });

  it('asks a person what its server asks, and continues with the answer', async () => {
    const { tasks, session } = await begun('curious', '2026');
    tasks.ask('task-1', 'where');
    interface Requests {
      readonly requests: readonly { readonly id: string; readonly prompt: string }[];
    }
    const list = async () =>
      (await rest.ok<Requests>('GET /v1/ns/default/permission-requests?kind=input&agent=curious')).requests;
    await expect.poll(async () => (await list()).length).toBe(1);
    const [request] = await list();
    expect(request?.prompt).toBe('MCP server curious asks: Which city?');
    await app.restart();
    await rest.ok(`POST ${session}/permissions/${request?.id}`, { decision: 'ALLOW', answerJson: '{"city":"Oslo"}' });
    await expect
      .poll(() => tasks.all.get('task-1')?.answers)
      .toEqual({ where: { action: 'accept', content: { city: 'Oslo' } } });
    tasks.finish('task-1', 'it rains');
    await expect.poll(() => messages(session)).toMatch(/it rains.*over/);
    expect(tasks.all.size).toBe(1);
  });

  it('is cancelled at its server when the turn is stopped', async () => {
    const { tasks, session } = await begun('stopped', '2026');
    await expect.poll(() => tasks.looks.get('task-1') ?? 0).toBeGreaterThan(1);
    await rest.ok(`POST ${session}:stop`, {});
    await expect.poll(() => tasks.cancelled).toEqual(['task-1']);
  });
});
