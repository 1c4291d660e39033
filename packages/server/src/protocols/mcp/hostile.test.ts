import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../base/index.ts';
import { createMcpConnector } from './connector.ts';
import type { McpCall, McpConnection, McpFailure } from './contract.ts';

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params?: { readonly cursor?: string; readonly name?: string };
}

const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
const idle = new AbortController().signal;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };
const said = (response: ServerResponse, { id }: Asked, result: object): void =>
  void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
const tool = (name: unknown, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const FINE = { content: [{ type: 'text', text: 'fine' }] };

/** A server of the older era that answers lists and calls as `behave` does; a call of `fine` is answered as it should be. */
const connected = async (behave: (asked: Asked, response: ServerResponse) => void): Promise<McpConnection> => {
  const http = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const asked = (text === '' ? {} : JSON.parse(text)) as Asked;
    if (asked.method === 'initialize') {
      const serverInfo = { name: 'hostile', version: '1' };
      return said(response, asked, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
    }
    if (asked.id === undefined) return void response.writeHead(request.method === 'POST' ? 202 : 405).end();
    if (asked.params?.name === 'fine') return said(response, asked, FINE);
    return behave(asked, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  open.push({
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  });
  const { port } = http.address() as AddressInfo;
  const target = { transport: 'http', url: `http://127.0.0.1:${port}/`, headers: {}, isTrusted: false } as const;
  const connection = await connector.connect(target, { era: '2025', signal: idle });
  open.push(connection);
  return connection;
};

const call = (name: string, signal = idle): McpCall => ({
  tool: name,
  input: {},
  meta: {},
  signal,
  progress: () => undefined,
  reply: () => undefined,
});
const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: McpFailure) => error.kind,
  );
const isStillFine = (connection: McpConnection) =>
  expect(connection.call(call('fine'))).resolves.toMatchObject({ result: FINE });

describe('a server that means harm', () => {
  it.each([
    ['one body', JSON_TYPE, '{"jsonrpc":"2.0","x":"'],
    ['one event', { 'content-type': 'text/event-stream' }, 'data: {"x":"'],
  ])('and answers a call with more than 16 MiB as %s loses that call', async (_name, headers, start) => {
    const connection = await connected((_asked, response) => {
      response.writeHead(200, headers).write(start);
      const block = 'x'.repeat(1024 * 1024);
      const more = (left: number): void => {
        if (left > 0 && !response.destroyed) response.write(block, () => more(left - 1));
      };
      more(32);
    });
    expect(await kindOf(connection.call(call('big')))).toBe('malformed');
    // An event stream takes its connection with it: the next call opens another one.
    expect(connection.isClosed).toBe(headers !== JSON_TYPE);
    if (!connection.isClosed) await isStillFine(connection);
  });

  it('and lists tools without end fails its list; of a page with thousands the first 1,000 count', async () => {
    const endless = await connected((asked, response) =>
      said(response, asked, { tools: [tool('a')], nextCursor: `${asked.id}` }),
    );
    expect(await kindOf(endless.tools(idle))).toBe('malformed');
    const names = Array.from({ length: 5_000 }, (_, index) => tool(`t${index}`));
    const many = await connected((asked, response) => said(response, asked, { tools: names }));
    expect(await many.tools(idle)).toHaveLength(1_000);
    await isStillFine(many);
  });

  it.each([
    ['tools without names', { tools: [tool(7)] }],
    ['no list', { tools: 'none' }],
    ['schemas that are none', { tools: [{ name: 'a', inputSchema: 'x' }] }],
  ])('and lists %s fails its list', async (_name, result) => {
    const connection = await connected((asked, response) => said(response, asked, result));
    expect(await kindOf(connection.tools(idle))).toBe('malformed');
    await isStillFine(connection);
  });

  it('and declares a schema that its results do not keep to loses these calls', async () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const connection = await connected((asked, response) =>
      said(response, asked, asked.method === 'tools/list' ? { tools: [tool('liar', { outputSchema })] } : lie),
    );
    const lie = { content: [], structuredContent: { n: 'none' } };
    await connection.tools(idle);
    expect(await kindOf(connection.call(call('liar')))).toBe('malformed');
    await isStillFine(connection);
  });

  it.each(['{"jsonrpc":"2.0","id":', 'not json', '[]', '{"jsonrpc":"1.0"}'])(
    'and answers a call with %j loses that call at the latest when its caller gives up',
    async (text) => {
      const connection = await connected((_asked, response) => void response.writeHead(200, JSON_TYPE).end(text));
      const abort = new AbortController();
      const work = kindOf(connection.call(call('odd', abort.signal)));
      await isStillFine(connection);
      abort.abort();
      expect(await work).not.toBe('none');
    },
  );

  it('and drips its answer is given up when the caller says so, and holds up no other call', async () => {
    let drips = 0;
    const connection = await connected((_asked, response) => {
      response.writeHead(200, JSON_TYPE);
      const drip = (): void => {
        drips++;
        if (!response.destroyed) response.write(' ', () => setImmediate(drip));
      };
      drip();
    });
    const abort = new AbortController();
    const slow = kindOf(connection.call(call('slow', abort.signal)));
    await expect.poll(() => drips).toBeGreaterThan(10);
    await isStillFine(connection);
    abort.abort();
    expect(await slow).not.toBe('none');
  });
});
