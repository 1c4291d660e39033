import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransport, type TransportServer } from '../../transport/index.ts';
import { testParts } from '../../transport/testing/transport-parts.ts';
import { AppUnderTest } from '../testing/index.ts';
import { findConsole } from './console-files.ts';
import { consoleRoutes } from './console-routes.ts';
import { frontRoutes } from './front-routes.ts';

const SCRIPT = "console.log('hello');\n".repeat(200);
const PAGE = '<!doctype html>\n<html><head><title>svc</title></head><body><div id="root"></div></body></html>\n';
const FACTS = { title: 'A & "B"', readOnly: true, authModes: ['token', 'jwt'], version: '1.2.3' };
const SETTINGS = {
  'console.enabled': true,
  'console.title': FACTS.title,
  'console.readOnly': true,
  'auth.mode': ['token', 'jwt'],
  'objects.backend': 'local',
  'objects.bucket': undefined,
  'objects.endpoint': undefined,
  'objects.region': 'us-east-1',
  'auth.jwks.issuer': undefined,
  'auth.jwks.audience': 'svc',
  'console.oidc.clientId': undefined,
  'console.oidc.scope': 'openid',
  'console.oidc.origins': [],
} as const;
const HOME = { version: '1.2.3', needsCredential: true, url: () => '', running: () => ({}) };

let folder = '';
let server: TransportServer;
let bare: TransportServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-console-'));
  mkdirSync(join(folder, 'assets'));
  const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);
  write('index.html', PAGE);
  write('secret.txt', 'not for anyone');
  write('assets/main-a1.js', SCRIPT);
  write('assets/main-a1.js.br', brotliCompressSync(SCRIPT));
  write('assets/main-a1.js.gz', gzipSync(SCRIPT));
  write('assets/icon-b2.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>');
  write('assets/data-c3.bin', '01');
  const built = findConsole(folder);
  if (built === undefined) throw new Error('the console is not found');
  server = await createTransport(
    testParts({ routes: frontRoutes(SETTINGS, HOME, { console: built, widget: undefined }) }),
  );
  bare = await createTransport(testParts());
});
afterAll(async () => {
  await Promise.all([server.close(), bare.close()]);
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends the path as it is: `fetch` would resolve dots and unpack bodies. */
const ask = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  { to = server, method = 'GET' }: { readonly to?: TransportServer; readonly method?: string } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: to.port, path, method, headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }),
      );
    })
      .on('error', reject)
      .end();
  });

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the page of the console', () => {
  it.each(['/', '/inbox', '/ns/team.a/agents/x', '/ns/team.a/files/notes/read.me', '/inbox/', '/ns/%zz', '/healthz/x'])(
    'is at %s',
    async (path) => {
      const { status, headers, body } = await ask(path, BROWSER);
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body.toString()).toContain('<div id="root"></div>');
    },
  );

  it('is at / for everyone who asks', async () => {
    expect((await ask('/')).status).toBe(200);
  });

  it('says what it is called, how to sign in and that nothing may be written', async () => {
    expect((await ask('/')).body.toString()).toBe(
      '<!doctype html>\n<html><head><title>A &amp; &quot;B&quot;</title>\n' +
        '    <meta name="svc-title" content="A &amp; &quot;B&quot;" />\n' +
        '    <meta name="svc-read-only" content="true" />\n' +
        '    <meta name="svc-auth-mode" content="token,jwt" />\n' +
        '    <meta name="svc-version" content="1.2.3" /></head><body><div id="root"></div></body></html>\n',
    );
  });

  it('may also send files to the bucket that keeps them', async () => {
    const built = findConsole(folder);
    const bucket = { 'objects.backend': 's3', 'objects.endpoint': 'https://objects.example.org/base' } as const;
    const routes = frontRoutes({ ...SETTINGS, ...bucket }, HOME, { console: built, widget: undefined });
    const other = await createTransport(testParts({ routes }));
    const { headers } = await fetch(`http://127.0.0.1:${other.port}/`);
    await other.close();
    expect(headers.get('content-security-policy')).toContain(
      "; connect-src 'self' https://objects.example.org; base-uri",
    );
  });

  it('says where people sign in besides, and may fetch tokens there', async () => {
    const provider = {
      'auth.jwks.issuer': 'https://id.example.org/realms/a',
      'auth.jwks.audience': 'svc-api',
      'console.oidc.clientId': 'svc-console',
      'console.oidc.scope': 'openid offline_access',
      'console.oidc.origins': ['https://tokens.example.org/x'],
    } as const;
    const routes = frontRoutes({ ...SETTINGS, ...provider }, HOME, { console: findConsole(folder), widget: undefined });
    const other = await createTransport(testParts({ routes }));
    const answer = await fetch(`http://127.0.0.1:${other.port}/`);
    const page = await answer.text();
    await other.close();
    expect(page).toContain(
      '<meta name="svc-provider" content="{&quot;issuer&quot;:&quot;https://id.example.org/realms/a&quot;,' +
        '&quot;clientId&quot;:&quot;svc-console&quot;,&quot;scope&quot;:&quot;openid offline_access&quot;,' +
        '&quot;audience&quot;:&quot;svc-api&quot;}" />',
    );
    expect(answer.headers.get('content-security-policy')).toContain(
      "; connect-src 'self' https://id.example.org https://tokens.example.org; base-uri",
    );
  });

  it('may load only what this server serves, and is framed by no one', async () => {
    const { headers } = await ask('/');
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    });
  });

  it('is sent again only when it changed', async () => {
    const { headers } = await ask('/');
    const etag = String(headers['etag']);
    const again = await ask('/inbox', { ...BROWSER, 'if-none-match': `W/${etag}` });
    expect([again.status, again.headers['etag'], again.body.length]).toEqual([304, etag, 0]);
    expect((await ask('/inbox', { ...BROWSER, 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const [head, get] = await Promise.all([ask('/inbox', BROWSER, { method: 'HEAD' }), ask('/inbox', BROWSER)]);
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('the files of the console', () => {
  it('are kept by browsers for a year', async () => {
    const { status, headers, body } = await ask('/assets/main-a1.js');
    expect([status, body.toString()]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      vary: 'accept-encoding',
    });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, *', 'gzip', gunzipSync],
  ])('come packed to who accepts %s', async (accepted, encoding, unpacked) => {
    const { headers, body } = await ask('/assets/main-a1.js', { 'accept-encoding': accepted });
    expect([headers['content-encoding'], unpacked(body).toString()]).toEqual([encoding, SCRIPT]);
  });

  it('have their types, also where there is no packed form', async () => {
    const { headers } = await ask('/assets/icon-b2.svg', { 'accept-encoding': 'br' });
    expect([headers['content-type'], headers['content-encoding']]).toEqual(['image/svg+xml', undefined]);
    expect((await ask('/assets/data-c3.bin')).headers['content-type']).toBe('application/octet-stream');
  });

  it('answer HEAD with the length and no body', async () => {
    const { status, headers, body } = await ask('/assets/main-a1.js', {}, { method: 'HEAD' });
    expect([status, headers['content-length'], body.length]).toEqual([200, String(SCRIPT.length), 0]);
  });
});

describe('what is not of the console', () => {
  it.each([
    ['/assets/other.js', BROWSER],
    ['/assets/', BROWSER],
    ['/assets/..%2findex.html', BROWSER],
    ['/assets/../secret.txt', BROWSER],
    ['/assets/%2e%2e/secret.txt', BROWSER],
    ['/assets/main-a1.js.br', BROWSER],
    ['/assets/%zz', BROWSER],
    ['/secret.txt', BROWSER],
    ['/robots.txt', BROWSER],
    ['/v1/unknown', BROWSER],
    ['/v1', BROWSER],
    ['/svc.gateway.Gateway/Unknown', BROWSER],
    ['/inbox', { accept: 'application/json' }],
    ['/inbox', {}],
    ['/%zz', {}],
  ])('is answered as without it: %s', async (path, headers) => {
    const fixed = { ...headers, 'x-request-id': '0190a1b2-0000-7000-8000-000000000001' };
    const [with_, without] = await Promise.all([ask(path, fixed), ask(path, fixed, { to: bare })]);
    const seen = ({ status, headers: { date: _date, ...rest }, body }: Answer): object => ({
      status,
      rest,
      body: body.toString(),
    });
    expect(seen(with_)).toEqual(seen(without));
    expect(with_.status).toBe(404);
  });

  it('is every other method', async () => {
    expect((await ask('/inbox', BROWSER, { method: 'POST' })).status).toBe(404);
    expect((await ask('/', BROWSER, { method: 'POST' })).status).toBe(405);
  });
});

it('no console is found where none was built', () => {
  expect(findConsole(join(folder, 'assets'))).toBeUndefined();
});

it('a page without a title is no page of ours', () => {
  const files = { page: '<html></html>', assets: new Map() };
  expect(() => consoleRoutes(files, { ...FACTS, origins: [] })).toThrow('index.html of the console has no title');
});

describe('a server whose console is switched off', () => {
  const app = AppUnderTest.ofSuite({ 'console.enabled': 'false' });

  it('does not know the address', async () => {
    const answer = await fetch(`${app.url}/`, { headers: BROWSER });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('ROUTE_UNKNOWN')]);
  });
});
