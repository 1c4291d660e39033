import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../../transport/testing/self-signed.ts';
import { allowList, isAllowedAddress, outboundAddresses } from './address-rules.ts';
import { GuardedFetch } from './guarded-fetch.ts';

const signal = new AbortController().signal;

describe('isAllowedAddress', () => {
  const none = allowList([]);
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::7f00:1',
    '64:ff9b:1::a00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    'fec0::1',
    '192.88.99.1',
    'not-an-ip',
  ])('refuses %s', (address) => expect(isAllowedAddress(address, none)).toBe(false));
  it.each(['93.184.216.34', '2606:2800:220:1::1'])('allows the public %s', (address) =>
    expect(isAllowedAddress(address, none)).toBe(true),
  );
  it('allows a private address that the configuration lists', () => {
    expect(isAllowedAddress('10.1.2.3', allowList(['10.1.0.0/16']))).toBe(true);
    expect(isAllowedAddress('10.2.2.3', allowList(['10.1.0.0/16']))).toBe(false);
    expect(isAllowedAddress('::ffff:a01:203', allowList(['10.1.0.0/16']))).toBe(true);
    expect(isAllowedAddress('fd00::7', allowList(['fd00::7', 'name.example']))).toBe(true);
  });
  it('answers for the entries of an operator as a whole', () => {
    const isAllowed = outboundAddresses(['10.1.0.0/16', 'name.example']);
    expect(['10.1.2.3', '10.2.2.3', '93.184.216.34'].map(isAllowed)).toEqual([true, false, true]);
  });
});

describe('GuardedFetch (R49)', () => {
  let server: Server;
  let port = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: 'https://inner.example/secret' }).end();
      else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else if (request.url === '/gone') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'image/png; charset=x' }).end(Buffer.alloc(100, 7));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  const fetcher = (): GuardedFetch =>
    new GuardedFetch({
      allow: ['allowed.test'],
      resolve: (host) => Promise.resolve(host === 'inner.example' ? ['10.0.0.5'] : ['127.0.0.1']),
    });
  const get = (path: string, limitBytes = 1000) =>
    fetcher().fetch('default', `http://allowed.test:${port}${path}`, { limitBytes, signal });

  it('connects to the address it checked and answers body and media type', async () => {
    const answer = await get('/image');
    expect(answer.mediaType).toBe('image/png');
    expect(answer.bytes).toEqual(Buffer.alloc(100, 7));
  });
  it('checks the target of a redirect again', async () => {
    await expect(get('/away')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('not a public address'),
    });
  });
  it('ends a loop of redirects', async () => {
    await expect(get('/loop')).rejects.toMatchObject({ message: expect.stringContaining('more than 5 redirects') });
  });
  it('refuses bodies above the limit', async () => {
    await expect(get('/image', 10)).rejects.toMatchObject({ message: expect.stringContaining('larger than 10 bytes') });
  });
  it('refuses other answers than 200', async () => {
    await expect(get('/gone')).rejects.toMatchObject({ message: expect.stringContaining('404') });
  });
  it.each([
    'http://93.184.216.34/',
    'ftp://allowed.test/',
    'https://user:pw@allowed.test/',
    'no url',
    'https://inner.example/',
    'https://[::1]/',
  ])('refuses %s', async (url) => {
    await expect(fetcher().fetch('default', url, { limitBytes: 10, signal })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });
});

describe('pages of the web, also with plain http', () => {
  const hosts: Readonly<Record<string, readonly string[]>> = {
    'metadata.example': ['169.254.169.254'],
    'rebound.example': ['127.0.0.1'],
    'inner.example': ['10.0.0.5', 'fd00::1'],
  };
  const fetcher = new GuardedFetch({
    allow: [],
    resolve: async (host) => hosts[host] ?? Promise.reject(new Error('no such host')),
  });
  it.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.example/',
    'http://rebound.example:8080/',
    'https://inner.example/',
    'http://localhost/',
    'http://user:pw@93.184.216.34/',
    'file:///etc/passwd',
    'gopher://93.184.216.34/',
    'http://',
    'javascript:alert(1)',
  ])('refuses %s before anything is connected to', async (url) => {
    await expect(fetcher.fetch('default', url, { limitBytes: 10, signal, acceptsHttp: true })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: [{ field: 'url' }],
    });
  });

  it('are read with their whole type, and the address where the last redirect led', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
      else response.writeHead(200, { 'content-type': 'text/html; charset=x' }).end('hi');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://host.example:${(server.address() as AddressInfo).port}`;
    const inside = new GuardedFetch({ allow: ['127.0.0.1'], resolve: async () => ['127.0.0.1'] });
    const options = { limitBytes: 10, signal };
    await expect(inside.fetch('default', `${origin}/a`, options)).rejects.toThrow('must be an https address');
    expect(await inside.fetch('default', `${origin}/a`, { ...options, acceptsHttp: true })).toMatchObject({
      contentType: 'text/html; charset=x',
      mediaType: 'text/html',
      url: `${origin}/b`,
    });
    server.close();
  });
});

describe('a host that fails', () => {
  const closing: { close(): void }[] = [];
  afterAll(() => {
    for (const server of closing) server.close();
  });

  const listen = async (server: Server): Promise<number> => {
    closing.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const fetcher = (timeout?: () => AbortSignal): GuardedFetch =>
    new GuardedFetch({
      allow: ['allowed.test'],
      resolve: () => Promise.resolve(['127.0.0.1']),
      ...(timeout === undefined ? {} : { timeout }),
    });
  const fault = (url: string, options: { timeout?: () => AbortSignal; signal?: AbortSignal } = {}): Promise<unknown> =>
    fetcher(options.timeout)
      .fetch('default', url, { limitBytes: 1000, signal: options.signal ?? signal })
      .then(
        () => 'answered',
        (error: unknown) => error,
      );
  const refused = (description: string): unknown =>
    expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      reason: 'FIELD_INVALID',
      message: `url: ${description}`,
      violations: [{ field: 'url', description, reason: 'FIELD_INVALID' }],
    });

  it('is named when it refuses the connection', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await fault(`http://allowed.test:${port}/`)).toEqual(
      refused(`allowed.test:${port} could not be read: ECONNREFUSED`),
    );
  });

  it('is named when it hangs up in the middle of the body', async () => {
    const port = await listen(
      createServer((_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('some', () => response.destroy());
      }),
    );
    expect(await fault(`http://allowed.test:${port}/`)).toEqual(
      refused(`allowed.test:${port} could not be read: UND_ERR_SOCKET`),
    );
  });

  it('is named when its certificate is not trusted', async () => {
    const port = await listen(createTlsServer(selfSigned(), (_request, response) => response.end('never read')));
    expect(await fault(`https://allowed.test:${port}/`)).toEqual(
      refused(`allowed.test:${port} could not be read: DEPTH_ZERO_SELF_SIGNED_CERT`),
    );
  });

  it('is named when it sends its answer too slowly, and when it never begins one', async () => {
    for (const begin of [true, false]) {
      const late = new AbortController();
      const port = await listen(
        createServer((_request, response) => {
          if (begin) response.write('a');
          late.abort();
        }),
      );
      expect(await fault(`http://allowed.test:${port}/`, { timeout: () => late.signal })).toEqual(
        refused(`allowed.test:${port} did not answer in full within 20 s`),
      );
    }
  });

  it('is left at once when the caller aborts, with the reason of the caller, during a name lookup too', async () => {
    const gone = new AbortController();
    const waiting = new GuardedFetch({ allow: [], resolve: () => new Promise(() => gone.abort(new Error('gone'))) });
    await expect(
      waiting.fetch('default', 'https://slow.test/', { limitBytes: 10, signal: gone.signal }),
    ).rejects.toThrow('gone');
  });

  it('is refused when its redirect leads to no address', async () => {
    const port = await listen(
      createServer((_request, response) => response.writeHead(302, { location: 'http://[' }).end()),
    );
    expect(await fault(`http://allowed.test:${port}/`)).toEqual(refused('must be an https address'));
  });
});
