/**
 * What a person waits for in the console: the first load, long lists, conversations, runs and logs, and a token on its way to the screen.
 *
 *   node bench/console.mjs [--only first,list,chat,run,log,tokens] [--loads 5]
 *
 * A server with SQLite runs from the bundle, Chromium from the machine next to it. Times are those of the page; frames are counted while it
 * scrolls by itself for two seconds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundledProgram } from '../tools/build/bundle.mjs';
import { neededChromiumPath } from '../tools/testing/chromium.ts';
import { ConsoleBrowser, countWords } from './console-page.mjs';
import { BenchServer } from './resource-server.mjs';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'first,list,chat,run,log,tokens' },
    loads: { type: 'string', default: '5' },
  },
});
const THROTTLE = 4;
const RESOURCES = 10_000;
const MESSAGES = 500;
const PARTS = 20;
const STEPS = 500;
const LINES = 100_000;
const CALLERS = 32;
const AGENT = '/v1/ns/default/agents/demo';

const executablePath = neededChromiumPath();

const directory = mkdtempSync(join(tmpdir(), 'svc-bench-console-'));
const server = new BenchServer({
  dataDir: directory,
  isPinned: false,
  flags: [],
  program: await bundledProgram(),
  environment: { SVC_TELEMETRY_LOG_LEVEL: 'info', SVC_LIMITS_STEPS_MAX: String(STEPS) },
  isHeard: false,
});
await server.start();
await server.http.ok('POST', '/v1/ns/default/agents', { name: 'demo' });
const browser = await ConsoleBrowser.launch({ executablePath, origin: server.url });

const range = (count) => Array.from({ length: count }, (_, index) => index);
const report = (name, figures) => console.log(`${name.padEnd(40)} ${JSON.stringify(figures)}`);
const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

const apply = (manifests) =>
  server.http.ok('POST', '/v1/manifests:apply', {
    ns: 'default',
    text: manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n'),
  });

const newSession = async () => (await server.http.ok('POST', `${AGENT}/sessions`, {})).sessionId;

/** Medians of what several loads took. */
const timesOf = (pages) => ({
  paintMs: median(pages.map(({ paintMs }) => paintMs)),
  shownMs: median(pages.map(({ shownMs }) => shownMs)),
  cpuMs: median(pages.map(({ cpuMs }) => cpuMs)),
});

/** The processor time is that of loads without throttling. */
const first = async () => {
  const slow = [];
  const quick = [];
  for (let load = 0; load < Number(options.loads); load += 1) {
    slow.push(await browser.open('/', { throttle: THROTTLE, shows: 'Home' }));
    await slow.at(-1).close();
    quick.push(await browser.open('/', { shows: 'Home' }));
    await quick.at(-1).close();
  }
  const { paintMs, shownMs } = timesOf(slow);
  const gzipKiB = await slow.at(-1).gzipKiB();
  report('first load, CPU throttled 4x', { paintMs, shownMs, cpuMs: timesOf(quick).cpuMs, gzipKiB });
};

/** Opens the address several times, and measures the last page while it scrolls. */
const measured = async (name, address, { shows, selector, direction }) => {
  const pages = [];
  for (let load = 0; load < Number(options.loads); load += 1) {
    await pages.at(-1)?.close();
    pages.push(await browser.open(address, { shows }));
  }
  const last = pages.at(-1);
  report(name, Object.assign(timesOf(pages), await last.scroll(selector, direction)));
  await last.close();
};

const list = async () => {
  const manifest = (index) => ({
    kind: 'Knowledge',
    metadata: { name: `note-${index}`, namespace: 'default' },
    spec: { path: `n/${index}.md`, content: 'x' },
  });
  for (let from = 0; from < RESOURCES; from += 500) await apply(range(500).map((index) => manifest(from + index)));
  await measured(`list of ${RESOURCES} resources`, '/ns/default/resources/Knowledge', {
    shows: 'note-0',
    selector: '[role=grid]',
  });
};

const chat = async () => {
  const sessionId = await newSession();
  for (let message = 0; message < MESSAGES; message += 1) {
    const parts = range(PARTS).map((part) => ({
      partType: 'SESSION_MESSAGE_PART_TYPE_TEXT',
      content: `Part ${message * PARTS + part} with **words** of some length, so that a line breaks now and then in the thread.`,
    }));
    const role = message % 2 === 0 ? 'ROLE_USER' : 'ROLE_ASSISTANT';
    await server.http.ok('POST', `${AGENT}/sessions/${sessionId}/messages:append`, { message: { role, parts } });
  }
  await measured(`conversation of ${MESSAGES * PARTS} parts`, `/ns/default/agents/demo/sessions/${sessionId}`, {
    shows: `Part ${MESSAGES * PARTS - 1} `,
    selector: '[role=log]',
    direction: -1,
  });
};

const run = async () => {
  const steps = range(STEPS).map((step) => ({
    id: `step-${step}`,
    type: 'transform',
    input: { step },
    after: step === 0 ? [] : [`step-${step - 1}`],
  }));
  await apply([{ kind: 'Workflow', metadata: { name: 'long', namespace: 'default' }, spec: { steps } }]);
  const started = await server.http.ok('POST', '/v1/ns/default/workflows/long/runs', {
    inputJson: '{}',
    waitSeconds: 30,
  });
  await measured(`run of ${STEPS} steps`, `/ns/default/workflows/long/runs/${started.run.id}`, {
    shows: 'step-0',
    selector: '[aria-label=History]',
  });
};

const log = async () => {
  const page = await browser.open('/logs', { shows: 'Logs' });
  const began = performance.now();
  let called = 0;
  const callAgain = async () => {
    // A connection that was idle for long may be closed under a call: then it counts for nothing.
    while (called < LINES) if ((await server.http.status(AGENT)) === 200) called += 1;
  };
  const [frames] = await Promise.all([page.watchFrames(5_000), ...range(CALLERS).map(callAgain)]);
  const seconds = (performance.now() - began) / 1_000;
  report('live tail, its first 5 s', { linesPerSecond: Math.round(LINES / seconds), ...frames });
  await page.page.getByText(`of ${LINES} lines`).waitFor();
  report(`log of ${LINES} lines`, await page.scroll('[role=log]', -1));
  await page.close();
};

/** Four conversations at once, each in a page of its own; the words of one page come at 200 a second. */
const tokens = async () => {
  const talk = async () => {
    const sessionId = await newSession();
    const address = `/ns/default/agents/demo/sessions/${sessionId}`;
    const page = await browser.open(address, { shows: 'Nothing has been said yet', script: countWords });
    return { page, sessionId };
  };
  const say = ({ sessionId }, rate, words) =>
    server.http.ok('POST', `${AGENT}/sessions/${sessionId}/message`, {
      message: `!rate ${rate}\n!repeat ${words} tok `,
    });
  const one = await talk();
  await say(one, 50, 500);
  await one.page.watchFrames(11_000);
  report('a token to the screen, 50 a second', await one.page.wordDelays());
  await one.page.close();
  const four = [await talk(), await talk(), await talk(), await talk()];
  await Promise.all(four.map((each) => say(each, 200, 2_000)));
  const frames = await Promise.all(four.map(({ page }) => page.watchFrames(9_000)));
  for (const [at, { page }] of four.entries())
    report(`200 tokens a second, page ${at + 1} of 4`, { frames: frames[at], delays: await page.wordDelays() });
  await Promise.all(four.map(({ page }) => page.close()));
};

const parts = { first, list, chat, run, log, tokens };
try {
  for (const name of options.only.split(',')) await parts[name]();
} finally {
  await browser.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
