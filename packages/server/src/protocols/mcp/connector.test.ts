import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../base/index.ts';
import { createMcpConnector } from './connector.ts';
import type { McpCall, McpConnection, McpEra, McpFailure, McpTarget } from './contract.ts';
import { openHttpServer, type TestEra } from './testing/http-server.ts';
import { openSseServer } from './testing/sse-server.ts';
import { type CallLog, toolServer } from './testing/tools.ts';

const PROCESS = fileURLToPath(new URL('./testing/process-server.ts', import.meta.url));

const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
const idle = new AbortController().signal;
const open: { close(): Promise<void> }[] = [];
const newLog = (): CallLog => ({ calls: [], cancelled: [] });

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const connect = async (target: McpTarget, era: McpEra = 'auto', signal = idle): Promise<McpConnection> => {
  const connection = await connector.connect(target, { era, signal });
  open.push(connection);
  return connection;
};
const at = (url: string, transport: 'http' | 'sse' = 'http'): McpTarget => ({
  transport,
  url,
  headers: { 'x-team': 'blue' },
  isTrusted: false,
});
const processTarget = (mode: string): McpTarget => ({
  transport: 'stdio',
  command: process.execPath,
  args: [PROCESS, mode],
  environment: { TOKEN: 'x' },
});
const call = (tool: string, more: Partial<McpCall> = {}): McpCall => ({
  tool,
  input: {},
  meta: { 'svc/idempotency-key': 'k1' },
  signal: idle,
  progress: () => undefined,
  reply: () => undefined,
  ...more,
});
const httpServer = async (era: TestEra, log = newLog(), options = {}) => {
  const server = await openHttpServer(toolServer({ log }), { era, ...options });
  open.push(server);
  return server;
};
const failure = (work: Promise<unknown>): Promise<McpFailure['kind'] | 'none'> =>
  work.then(
    () => 'none',
    (error: McpFailure) => error.kind,
  );

describe.each([
  ['both', '2026-07-28'],
  ['2026', '2026-07-28'],
  ['2025', '2025-11-25'],
] as const)('a server over HTTP that speaks %s', (era, protocol) => {
  it('is connected to in the newest era that it knows, lists its tools and answers calls', async () => {
    const log = newLog();
    const server = await httpServer(era, log);
    const connection = await connect(at(server.url));
    expect(connection.server).toEqual({ name: 'test-tools', version: '1.2.3', protocol });
    const tools = await connection.tools(idle);
    expect(tools.map(({ name, isReadOnly }) => `${name} ${isReadOnly}`)).toContain('add true');
    expect(tools.find(({ name }) => name === 'slow')?.isReadOnly).toBe(false);
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const meta = { 'svc/idempotency-key': 'k1', traceparent };
    expect(await connection.call(call('add', { input: { a: 1, b: 2 }, meta }))).toEqual({
      result: { content: [{ type: 'text', text: '3' }], structured: { sum: 3 }, isError: false },
    });
    expect(log.calls[0]).toMatchObject({ input: { a: 1, b: 2 }, meta });
    expect(server.requests.at(-1)?.headers).toMatchObject({ traceparent, 'x-team': 'blue' });
    expect(await connection.call(call('media'))).toMatchObject({
      result: {
        content: [
          { type: 'bytes', mediaType: 'image/png', bytes: new Uint8Array(Buffer.from('png')) },
          { type: 'text', text: 'inside' },
          { type: 'text', text: 'b\nfile:///b.txt' },
        ],
      },
    });
    expect(await connection.call(call('fails'))).toMatchObject({ result: { isError: true } });
    expect(await failure(connection.call(call('add', { input: { a: 'x' } })))).toMatch(/none|malformed|rejected/);
  });

  it('learns that a call is cancelled', async () => {
    const log = newLog();
    const connection = await connect(at((await httpServer(era, log)).url));
    const abort = new AbortController();
    const slow = failure(connection.call(call('slow', { signal: abort.signal })));
    await expect.poll(() => log.calls.length).toBe(1);
    abort.abort();
    expect(await slow).not.toBe('none');
    await expect.poll(() => log.cancelled).toEqual(['slow']);
  });

  it('asks a person: the call ends with the question, and made again with the answer it goes through', async () => {
    const connection = await connect(at((await httpServer(era)).url));
    const asked = await connection.call(call('ask'));
    expect(asked).toMatchObject({ question: { message: 'Which city?', schema: { required: ['city'] } } });
    const keys: string[] = [];
    const replied = await connection.call(
      call('ask', {
        reply: ({ key }) => {
          keys.push(key);
          return { action: 'accept', content: { city: 'Oslo' } };
        },
      }),
    );
    expect(replied).toMatchObject({ result: { content: [{ text: 'accept Oslo' }] } });
    expect('question' in asked && keys).toEqual('question' in asked && [asked.question.key]);
    const declined = await connection.call(call('ask', { reply: () => ({ action: 'decline' }) }));
    expect(declined).toMatchObject({ result: { content: [{ text: 'decline ' }] } });
  });
});

describe('a server over HTTP', () => {
  it('is spoken to in the era that is asked for', async () => {
    const { url } = await httpServer('both');
    expect((await connect(at(url), '2026')).server.protocol).toBe('2026-07-28');
    expect((await connect(at(url), '2025')).server.protocol).toBe('2025-11-25');
    expect(await failure(connect(at((await httpServer('2025')).url), '2026'))).not.toBe('none');
  });

  it('of the older kind, with one event stream, is spoken to where that is asked for', async () => {
    const server = await openSseServer(toolServer());
    open.push(server);
    const connection = await connect(at(server.url, 'sse'));
    expect(connection.server.protocol).toBe('2025-11-25');
    expect(await connection.call(call('add', { input: { a: 1, b: 2 } }))).toMatchObject({
      result: { structured: { sum: 3 } },
    });
  });

  it('that forgot the session says so', async () => {
    const server = await httpServer('2025');
    const connection = await connect(at(server.url));
    server.forget();
    expect(await failure(connection.call(call('add', { input: { a: 1, b: 1 } })))).toBe('expired');
  });

  it.each([401, 403])('that refuses with %i is not tried in the older era', async (status) => {
    const bodies: string[] = [];
    const intercept = (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      request.on('end', () => response.writeHead(status).end());
      return true;
    };
    const server = await httpServer('both', newLog(), { intercept });
    expect(await failure(connect(at(server.url)))).toBe('auth');
    expect(bodies.join()).not.toContain('"initialize"');
  });

  it('that is not at the address is a failure that says so', async () => {
    const intercept = (_request: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(404).end();
      return true;
    };
    const server = await httpServer('both', newLog(), { intercept });
    await expect(connect(at(server.url))).rejects.toMatchObject({
      kind: 'connect',
      message: 'there is no MCP server at this address (HTTP 404)',
    });
  });

  it('that is down, or answers nonsense, is a failure without anything that it wrote', async () => {
    const server = await httpServer('both');
    await server.close();
    open.length = 0;
    const error = await connector
      .connect(at(server.url), { era: 'auto', signal: idle })
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: 'connect' });
    const intercept = (_request: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"secret":');
      return true;
    };
    const nonsense = await httpServer('both', newLog(), { intercept });
    const other = await connector
      .connect(at(nonsense.url), { era: 'auto', signal: idle })
      .catch((caught: unknown) => caught);
    expect(String((other as Error).message)).not.toContain('secret');
  });

  it('that never answers is given up when the caller says so', async () => {
    const server = await httpServer('both', newLog(), { intercept: () => true });
    const abort = new AbortController();
    const work = failure(connect(at(server.url), 'auto', abort.signal));
    await expect.poll(() => server.requests.length).toBe(1);
    abort.abort();
    expect(await work).not.toBe('none');
  });
});

describe('a server that is a process', () => {
  it.each([
    ['good', '2026', '2026-07-28'],
    ['old', 'auto', '2025-11-25'],
  ] as const)('and %s, asked for %s, speaks %s', async (mode, era, protocol) => {
    const connection = await connect(processTarget(mode), era);
    expect(connection.server.protocol).toBe(protocol);
    expect(await connection.call(call('add', { input: { a: 2, b: 2 } }))).toMatchObject({
      result: { structured: { sum: 4 } },
    });
  });

  it('gets the environment that was declared for it, and crashes alone', async () => {
    const connection = await connect(processTarget('bad'), '2025');
    const answer = await connection.call(call('environment'));
    const text = 'result' in answer && answer.result.content[0]?.type === 'text' ? answer.result.content[0].text : '';
    expect(
      text.split(' ').filter((name) => !['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'].includes(name)),
    ).toEqual(['TOKEN']);
    expect(await failure(connection.call(call('crash')))).toBe('lost');
    expect(connection.isClosed).toBe(true);
    expect(await failure(connection.call(call('environment')))).toBe('lost');
  });

  it.each([
    ['flood', 'malformed'],
    ['endless', 'lost'],
  ])('and sends without end (%s) is ended', async (tool, kind) => {
    const connection = await connect(processTarget('bad'), '2025');
    expect(await failure(connection.call(call(tool)))).toBe(kind);
    expect(connection.isClosed).toBe(true);
  });

  it('and does not start is a failure', async () => {
    expect(await failure(connect({ ...processTarget('good'), command: '/nowhere/at/all' } as McpTarget))).toBe(
      'connect',
    );
    expect(await failure(connect(processTarget('none'), '2025'))).toBe('lost');
  });
});
