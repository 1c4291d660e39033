import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AppUnderTest } from '../testing/index.ts';
import { contentPolicy, homePage } from './home-page.ts';

describe('the page at /', () => {
  const app = AppUnderTest.ofSuite();

  it('says what runs, what to try and where to look, and asks for nothing else', async () => {
    const answer = await fetch(`${app.url}/`);
    const page = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    for (const text of ['demo/echo', 'svc chat --server', 'svc doctor', '/openapi.json', '/healthz', '/metrics'])
      expect(page).toContain(text);
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it('answers HEAD with the same headers and no body', async () => {
    const [head, get] = await Promise.all([fetch(`${app.url}/`, { method: 'HEAD' }), fetch(`${app.url}/`)]);
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });

  it('names the address that the server listens on, also where the port was chosen by the system', async () => {
    const page = await (await fetch(`${app.url}/`)).text();
    expect(page).toContain(`svc chat --server http://127.0.0.1:${app.port}<`);
  });

  it('repeats no host that is none', async () => {
    const page = await new Promise<string>((resolve, reject) => {
      const headers = { host: 'localhost:1"><script>alert(1)</script>' };
      request(`${app.url}/`, { headers }, (answer) => {
        let text = '';
        answer.on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
    expect(page).not.toContain('alert');
  });
});

describe('the page at / of a server that wants a credential', () => {
  const app = AppUnderTest.ofSuite({ 'auth.mode': 'token', 'auth.token': 'k7Qz1vX9pLm3Rt5Yw8Nb2Hc6Jd4Fg0Sa' });

  it('tells nothing of what runs, and how to sign in', async () => {
    const answer = await fetch(`${app.url}/`);
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).toContain('svc login');
    expect(page).not.toMatch(/demo|echo|SQLite|PostgreSQL|Running turns/);
  });
});

it('escapes every text', () => {
  const page = homePage({ version: '<b>', needsCredential: false, url: 'http://a"b', running: { '<i>': "'&" } });
  expect(page).toContain('&lt;b&gt;');
  expect(page).toContain('<dt>&lt;i&gt;</dt><dd>&#39;&amp;</dd>');
  expect(page).toContain('http://a&quot;b/v1');
  expect(contentPolicy).not.toContain('unsafe');
});
