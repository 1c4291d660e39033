import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTransport, type TransportServer } from '../../transport/index.ts';
import { testParts } from '../../transport/testing/transport-parts.ts';
import { findWidget, widgetRoute } from './widget-route.ts';

const SCRIPT = "customElements.define('svc-chat', class extends HTMLElement {});\n";

let folder = '';
let server: TransportServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-widget-'));
  writeFileSync(join(folder, 'svc-chat.js'), SCRIPT);
  writeFileSync(join(folder, 'svc-chat.js.gz'), gzipSync(SCRIPT));
  const file = findWidget(folder);
  if (file === undefined) throw new Error('the widget is not found');
  server = await createTransport(testParts({ routes: [widgetRoute(file)] }));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const ask = (headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${server.port}/widget/svc-chat.js`, { headers });

it('is a script that pages of other sites may load, without a credential', async () => {
  const answer = await ask({ 'accept-encoding': 'identity' });
  expect([answer.status, await answer.text()]).toEqual([200, SCRIPT]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=600',
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  });
  expect(answer.headers.get('content-encoding')).toBeNull();
});

it('comes packed, and again only when it changed', async () => {
  const packed = await ask({ 'accept-encoding': 'gzip' });
  expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual(['gzip', SCRIPT]);
  const etag = packed.headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
  const again = await ask({ 'if-none-match': etag });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
});

it('is not there where none was built', () => {
  expect(findWidget(join(folder, 'missing'))).toBeUndefined();
});
