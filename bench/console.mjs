/**
 * What a person waits for in the console: the first load, long lists and long conversations, and a token on its way to the screen.
 *
 *   node bench/console.mjs [--resources 10000] [--messages 3300]
 *
 * A server with SQLite runs from the bundle, Chromium from the machine next to it. Times are those of the page; frames are counted while it
 * scrolls by itself for two seconds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { locate, services } from '../tools/bootstrap/services.mjs';
import { bundledProgram } from '../tools/build/bundle.mjs';
import { BenchServer } from './resource-server.mjs';

const { values: options } = parseArgs({
  options: { resources: { type: 'string', default: '10000' }, messages: { type: 'string', default: '3300' } },
});
const THROTTLE = 4;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
const service = services.find(({ name }) => name === 'chromium');
const executablePath = service && locate(service);
if (executablePath === undefined) throw new Error('Chromium is not installed: apt-get install chromium');

const percentile = (values, share) => values.toSorted((one, other) => one - other)[Math.floor(values.length * share)];
const rounded = (value) => Math.round(value * 10) / 10;

const directory = mkdtempSync(join(tmpdir(), 'svc-bench-console-'));
const program = await bundledProgram();
const server = new BenchServer({ dataDir: directory, isPinned: false, flags: [], program });
await server.start();
await server.http.ok('POST', '/v1/ns/default/agents', { name: 'demo' });
const browser = await chromium.launch({ executablePath, args: FLAGS });

/** A page of its own, and its figures. */
const opened = async (address, { throttle = 1, shows }) => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const session = await page.context().newCDPSession(page);
  if (throttle > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: throttle });
  const sizes = [];
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname === '/' || pathname.startsWith('/assets/'))
      sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  const began = performance.now();
  await page.goto(server.url + address, { waitUntil: 'commit' });
  await page.getByText(shows).first().waitFor();
  const shownMs = performance.now() - began;
  const bytes = async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return { page, session, shownMs, bytes };
};

/** Gaps between frames, in milliseconds, while the element scrolls; and the heap of the tab in MiB. */
const scrolled = async ({ page, session }, selector) => {
  const gaps = await page.locator(selector).evaluate(
    (element) =>
      new Promise((resolve) => {
        const found = [];
        let last = performance.now();
        const end = last + 2_000;
        const frame = (now) => {
          found.push(now - last);
          last = now;
          element.scrollTop += element.scrollHeight / 600;
          if (now < end) requestAnimationFrame(frame);
          else resolve(found);
        };
        requestAnimationFrame(frame);
      }),
  );
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return {
    p50Ms: rounded(percentile(gaps, 0.5)),
    p95Ms: rounded(percentile(gaps, 0.95)),
    heapMiB: rounded(usedSize / 2 ** 20),
  };
};

const report = (name, figures) => console.log(`${name.padEnd(34)} ${JSON.stringify(figures)}`);

try {
  const first = await opened('/', { throttle: THROTTLE, shows: 'Home' });
  await first.page.waitForLoadState('networkidle');
  report('first load, CPU throttled 4x', {
    shownMs: Math.round(first.shownMs),
    gzipKiB: rounded((await first.bytes()) / 1024),
  });
  await first.page.close();

  const count = Number(options.resources);
  for (let from = 0; from < count; from += 500) {
    const documents = Array.from({ length: 500 }, (_, index) =>
      JSON.stringify({
        kind: 'Knowledge',
        metadata: { name: `note-${from + index}`, namespace: 'default' },
        spec: { path: `n/${from + index}.md`, content: 'x' },
      }),
    );
    await server.http.ok('POST', '/v1/manifests:apply', { ns: 'default', text: documents.join('\n---\n') });
  }
  const list = await opened('/ns/default/resources/Knowledge', { shows: 'note-0' });
  report(`list of ${count} resources`, { shownMs: Math.round(list.shownMs), ...(await scrolled(list, '[role=grid]')) });
  await list.page.close();

  const path = '/v1/ns/default/agents/demo/sessions';
  const { sessionId } = await server.http.ok('POST', path, {});
  const messages = Number(options.messages);
  for (let index = 0; index < messages; index += 1)
    await server.http.ok('POST', `${path}/${sessionId}/messages:append`, {
      content: `Message ${index} with **words** of some length, so that a line breaks now and then in the thread.`,
    });
  const chat = await opened(`/ns/default/agents/demo/sessions/${sessionId}`, { shows: `Message ${messages - 1} ` });
  report(`conversation of ${messages} messages`, {
    shownMs: Math.round(chat.shownMs),
    ...(await scrolled(chat, '[role=log]')),
  });
  await chat.page.close();
} finally {
  await browser.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
