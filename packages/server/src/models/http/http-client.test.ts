import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import type { ExchangeControl } from './exchange-contract.ts';
import { HttpClient } from './http-client.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

describe('the lean HTTP client', () => {
  const clock = new ManualClock();
  const requests: string[] = [];
  const sockets: Socket[] = [];
  let server: Server;
  let origin = '';
  let answer = (socket: Socket): unknown => socket.write(OK);
  let client: HttpClient;

  beforeEach(async () => {
    client = new HttpClient({ clock, keepAliveMs: 30_000 });
    requests.length = 0;
    sockets.length = 0;
    answer = (socket) => socket.write(OK);
    server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => socket.destroy());
      socket.on('data', (bytes) => {
        requests.push(bytes.toString());
        answer(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(async () => {
    client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  /** 'ok 200 BODY' or 'error', once the exchange is over. */
  const exchange = (onStart: (control: ExchangeControl) => void = () => undefined, headers = {}): Promise<string> =>
    new Promise((resolve) => {
      let got = '';
      client.dispatch(
        {
          origin,
          path: '/v1/chat?x=1',
          method: 'POST',
          headers: { 'content-type': 'text/plain', ...headers },
          body: 'grüße',
        },
        {
          onRequestStart: onStart,
          onResponseStart: (_control, status) => {
            got = `ok ${status} `;
          },
          onResponseData: (_control, chunk) => {
            got += chunk.toString();
          },
          onResponseEnd: () => resolve(got),
          onResponseError: () => resolve('error'),
        },
      );
    });

  it('sends head and body with the length in bytes', async () => {
    expect(await exchange()).toBe('ok 200 ok');
    const host = origin.slice('http://'.length);
    expect(requests.join('')).toBe(
      `POST /v1/chat?x=1 HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\ncontent-type: text/plain\r\n` +
        'content-length: 7\r\n\r\ngrüße',
    );
  });

  it('uses an idle connection again until it is too old', async () => {
    await exchange();
    await exchange();
    expect(sockets.length).toBe(1);
    clock.advance(30_001);
    await exchange();
    expect(sockets.length).toBe(2);
  });

  it('keeps a connection no longer than its server says', async () => {
    answer = (socket) => socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=5\r\ncontent-length: 0\r\n\r\n');
    await exchange();
    clock.advance(4_500);
    await exchange();
    expect(sockets.length).toBe(2);
  });

  it('opens a connection for each exchange that runs', async () => {
    expect(await Promise.all([exchange(), exchange(), exchange()])).toEqual(['ok 200 ok', 'ok 200 ok', 'ok 200 ok']);
    expect(sockets.length).toBe(3);
  });

  it('tells of an answer that is cut, of a server that is gone, and of an abort', async () => {
    answer = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhel');
    expect(await exchange()).toBe('error');
    answer = (socket) => socket.write('HTTP/1.1 200 OK\r\n');
    expect(await exchange((control) => control.abort(new Error('enough')))).toBe('error');
    origin = 'http://127.0.0.1:1';
    expect(await exchange()).toBe('error');
  });

  it('ends what runs when it is closed', async () => {
    answer = () => client.close();
    expect(await exchange()).toBe('error');
    expect(() => client.dispatch({ origin, path: '/', method: 'POST', headers: {}, body: '' }, {} as never)).toThrow();
  });

  it('refuses headers with line breaks', async () => {
    expect(() =>
      client.dispatch({ origin, path: '/', method: 'POST', headers: { 'x-a': 'b\r\nc: d' }, body: '' }, {} as never),
    ).toThrow(TypeError);
    expect(requests).toEqual([]);
  });
});
