import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { localFetch } from './local-fetch.ts';

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const get = { method: 'GET', headers: {} };

describe('localFetch', () => {
  it('sends method, headers and body, and answers status, headers and bytes', async () => {
    const url = await serve(async (request, response) => {
      const sent = `${request.method} ${request.url} ${request.headers['x-a']} ${await text(request)}`;
      response.writeHead(418, { 'x-request-id': 'r1', 'set-cookie': ['one', 'two'] }).end(sent);
    });
    const post = { method: 'POST', headers: { 'x-a': 'b' }, body: new TextEncoder().encode('däta') };
    const answer = await localFetch(`${url}/p?q=1`, post);
    expect([answer.status, ...['X-Request-Id', 'set-cookie', 'none'].map(answer.headers.get)]).toEqual([
      ...[418, 'r1', 'one', null],
    ]);
    expect(await answer.text()).toBe('POST /p?q=1 b däta');
    const again = await localFetch(`${url}/p?q=1`, { ...post, body: 'text' });
    expect(new TextDecoder().decode(await again.arrayBuffer())).toBe('POST /p?q=1 b text');
  });

  it('hands pieces on as they come, until they are no longer wanted', async () => {
    const url = await serve((_request, response) => void response.write('piece'));
    const abort = new AbortController();
    const answer = await localFetch(url, { ...get, signal: abort.signal });
    const read = async (): Promise<void> => {
      for await (const piece of answer.body ?? []) {
        expect(new TextDecoder().decode(piece)).toBe('piece');
        abort.abort();
      }
    };
    await expect(read()).rejects.toThrow('aborted');
  });

  it('fails as fetch fails: by a code for what never left, for what broke off', async () => {
    const url = await serve((_request, response) => {
      response.write('piece', () => response.destroy());
    });
    const answer = await localFetch(url, get);
    await expect(answer.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(localFetch('http://127.0.0.1:1', get)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('leaves redirects and other addresses to fetch', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/new') response.end('moved');
      else response.writeHead(307, { location: '/new' }).end();
    });
    expect(await (await localFetch(`${url}/old`, { ...get, method: 'POST', body: 'x' })).text()).toBe('moved');
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('asked fetch'));
    onTestFinished(() => fetch.mockRestore());
    for (const address of ['https://127.0.0.1:1/', 'http://svc.example.org/', 'http://127.0.0.1.example.org/'])
      await expect(localFetch(address, get)).rejects.toThrow('asked fetch');
  });
});
