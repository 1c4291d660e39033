import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NamespaceFetch } from './namespace-fetch.ts';

let server: Server;
let port = 0;
const seen: { method: string | undefined; body: string; token: string | undefined }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      seen.push({ method: request.method, body, token: request.headers['x-token'] as string | undefined });
      if (request.url === '/away') response.writeHead(302, { location: 'http://10.0.0.1/secret' }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('hello');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A name server with the answers that a test gives it. */
const resolveTo = (...addresses: readonly string[]) =>
  ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )) as never;

const outcome = async (fetcher: NamespaceFetch, url: string): Promise<string> => {
  try {
    return `${(await fetcher.fetch(url)).status}`;
  } catch (error) {
    const { reason, cause } = error as { reason?: string; cause?: { reason?: string; code?: string } };
    return reason ?? cause?.reason ?? cause?.code ?? String(error);
  }
};

describe('a request for a namespace', () => {
  it('carries method, headers and body, and streams the answer', async () => {
    const fetcher = new NamespaceFetch({ allow: ['127.0.0.0/8'], isLocal: false });
    const init = { method: 'POST', body: 'question', headers: { 'x-token': 't' } };
    const answer = await fetcher.fetch(`http://127.0.0.1:${port}/`, init);
    expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
    expect(seen.at(-1)).toEqual({ method: 'POST', body: 'question', token: 't' });
  });

  it.each(['127.0.0.1', '[::1]', '10.1.2.3', '169.254.169.254', '[::ffff:127.0.0.1]'])(
    'reaches no private address: %s',
    async (host) => {
      expect(await outcome(new NamespaceFetch({ allow: [], isLocal: false }), `http://${host}:${port}/`)).toBe(
        'ADDRESS_REFUSED',
      );
    },
  );

  it('refuses a name that leads to a private address, and connects to the address it checked otherwise', async () => {
    const at = (...addresses: readonly string[]) =>
      new NamespaceFetch({ allow: ['127.0.0.2'], isLocal: false, resolve: resolveTo(...addresses) });
    expect(await outcome(at('127.0.0.1'), `http://a.example:${port}/`)).toBe('ADDRESS_REFUSED');
    expect(await outcome(at('10.0.0.1', '192.168.0.1'), `http://a.example:${port}/`)).toBe('ADDRESS_REFUSED');
    expect(await outcome(at('127.0.0.2'), `http://a.example:${port}/`)).toBe('ECONNREFUSED');
  });

  it('reaches names of net.allow, and this machine where the gateway serves this machine only', async () => {
    const named = new NamespaceFetch({ allow: ['a.example'], isLocal: false, resolve: resolveTo('127.0.0.1') });
    expect(await outcome(named, `http://a.example:${port}/`)).toBe('200');
    const local = new NamespaceFetch({ allow: [], isLocal: true });
    expect(await outcome(local, `http://127.0.0.1:${port}/`)).toBe('200');
    expect(await outcome(local, `http://10.0.0.1:${port}/`)).toBe('ADDRESS_REFUSED');
  });

  it('follows no redirect', async () => {
    const local = new NamespaceFetch({ allow: [], isLocal: true });
    expect(await outcome(local, `http://127.0.0.1:${port}/away`)).toBe('302');
  });
});
