import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowList, isAllowedAddress } from './address-rules.ts';
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
    'not-an-ip',
  ])('refuses %s', (address) => expect(isAllowedAddress(address, none)).toBe(false));
  it.each(['93.184.216.34', '2606:2800:220:1::1'])('allows the public %s', (address) =>
    expect(isAllowedAddress(address, none)).toBe(true),
  );
  it('allows a private address that the configuration lists', () => {
    expect(isAllowedAddress('10.1.2.3', allowList(['10.1.0.0/16']))).toBe(true);
    expect(isAllowedAddress('10.2.2.3', allowList(['10.1.0.0/16']))).toBe(false);
    expect(isAllowedAddress('fd00::7', allowList(['fd00::7', 'name.example']))).toBe(true);
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
