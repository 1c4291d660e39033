/**
 * What MCP costs: processor time of the server for a turn with native calls, with calls of an MCP server, and with both; and of a pool of connections
 * that nothing uses.
 *
 *   node bench/mcp.mjs [--turns 200] [--servers 50] [--idle-seconds 60]
 *
 * The MCP server runs in this process and answers at once. Turns run eight at a time. Processor time is what the kernel counts for the server, so
 * that a busy machine changes it less than the time on the clock.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BenchServer, pinSelf } from './resource-server.mjs';

const { values: options } = parseArgs({
  options: {
    turns: { type: 'string', default: '200' },
    servers: { type: 'string', default: '50' },
    'idle-seconds': { type: 'string', default: '60' },
  },
});
const turns = Number(options.turns);
const servers = Number(options.servers);
const idleSeconds = Number(options['idle-seconds']);
const CALLERS = 8;
const AGENTS = '/v1/ns/default/agents';
const NATIVE = Array(5).fill('!tool calculate {"expression":"1+2"}');
const REMOTE = Array(5).fill('!tool mcp_sums0_add {"a":1,"b":2}');

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const parallel = async (count, work) => {
  let next = 0;
  const caller = async () => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
};

/** Calls of tools so far. */
let called = 0;

const answerTo = ({ method, params }) => {
  if (method === 'initialize')
    return { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'sums', version: '1' } };
  if (method === 'tools/list') return { tools: [{ name: 'add', inputSchema: { type: 'object' } }] };
  const { a = 0, b = 0 } = params?.arguments ?? {};
  if (method === 'tools/call') called += 1;
  return method === 'tools/call' ? { content: [{ type: 'text', text: String(a + b) }] } : {};
};

const tools = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const asked = text === '' ? {} : JSON.parse(text);
  if (asked.id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
  const answer = { jsonrpc: '2.0', id: asked.id, result: answerTo(asked) };
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
await new Promise((resolve) => tools.listen(0, '127.0.0.1', resolve));
const target = `http://127.0.0.1:${tools.address().port}/`;

const dataDir = mkdtempSync(join(tmpdir(), 'svc-mcp-'));
const server = new BenchServer({ dataDir, isPinned: pinSelf(), flags: [] });

const turn = async (agent, message) => {
  const { sessionId } = await server.http.ok('POST', `${AGENTS}/${agent}/sessions`, {});
  const path = `${AGENTS}/${agent}/sessions/${sessionId}/message`;
  const { turnState } = await server.http.ok('POST', path, { message, waitSeconds: 60 });
  if (turnState !== 'TURN_STATE_COMPLETED') throw new Error(`a turn of ${agent} ended as ${turnState}`);
};

const measure = async (name, agent, lines) => {
  const message = [...lines, '!say done'].join('\n');
  await parallel(50, () => turn(agent, message));
  const remote = lines.filter((line) => line.startsWith('!tool mcp_')).length;
  const [began, before, calledBefore] = [performance.now(), server.cpuSeconds(), called];
  await parallel(turns, () => turn(agent, message));
  const cpuMs = ((server.cpuSeconds() - before) * 1_000) / turns;
  if (called - calledBefore !== turns * remote)
    throw new Error(`${called - calledBefore} calls reached the MCP server`);
  const rate = (turns * 1_000) / (performance.now() - began);
  console.log(`| ${name} | ${cpuMs.toFixed(2)} | ${rate.toFixed(0)} |`);
};

const idle = async () => {
  const before = server.cpuSeconds();
  await pause(idleSeconds * 1_000);
  return { ms: ((server.cpuSeconds() - before) * 1_000) / idleSeconds, mib: server.memoryMiB() };
};

try {
  await server.start();
  const names = Array.from({ length: servers }, (_, index) => `sums${index}`);
  const documents = [
    ...names.map((name) => ({ kind: 'McpServer', metadata: { name }, spec: { transport: 'http', target } })),
    { kind: 'Agent', metadata: { name: 'plain' }, spec: { systemPrompt: 'x' } },
    { kind: 'Agent', metadata: { name: 'one' }, spec: { systemPrompt: 'x', mcpServerRefs: ['sums0'] } },
  ];
  const apply = (list) => {
    const text = list.map((one) => JSON.stringify(one)).join('\n---\n');
    return server.http.ok('POST', '/v1/manifests:apply', { ns: 'default', text });
  };
  await apply(documents.slice(-2));
  const alone = await idle();
  await apply(documents.slice(0, 1));
  await pause(3_000);
  console.log('| turns with | CPU a turn, ms | turns a second |\n| --- | --- | --- |');
  await measure('no call', 'plain', []);
  await measure('5 native calls', 'plain', NATIVE);
  await measure('5 MCP calls', 'one', REMOTE);
  await measure('5 native and 5 MCP calls', 'one', [...NATIVE, ...REMOTE]);
  const used = await idle();
  await apply(documents.slice(1, -2));
  await pause(10_000);
  const pooled = await idle();
  console.log(`\n| idle | CPU, ms a second | resident, MiB |\n| --- | --- | --- |`);
  console.log(`| no server declared | ${alone.ms.toFixed(2)} | ${alone.mib.toFixed(0)} |`);
  console.log(`| 1 connection, after the turns | ${used.ms.toFixed(2)} | ${used.mib.toFixed(0)} |`);
  console.log(`| ${servers} connections | ${pooled.ms.toFixed(2)} | ${pooled.mib.toFixed(0)} |`);
} finally {
  await server.stop();
  tools.closeAllConnections();
  tools.close();
  rmSync(dataDir, { recursive: true, force: true });
}
