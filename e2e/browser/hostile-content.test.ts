// @service chromium
import { beforeAll, describe, expect, it } from 'vitest';
import { ShopInstance, type Tab } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

/** A server that no page may ask for anything; nothing listens there. */
const ELSEWHERE = 'http://127.0.0.2:1';

/** Ways in which a text may try to run a script or to fetch something, each of which would be seen. */
const HOSTILE = [
  `Hostile <img src="${ELSEWHERE}/a.png" onerror="window.taken=1"><script>window.taken=2</script>`,
  `a ![picture](${ELSEWHERE}/b.png) [one](javascript:window.taken=3) [two](data:text/html,<script>window.taken=4</script>)`,
  `<iframe src="${ELSEWHERE}/c"></iframe> <style>@import "${ELSEWHERE}/d.css";</style> <svg onload="window.taken=5"></svg>`,
  `[three](JaVaScRiPt:window.taken=6) <javascript:window.taken=7> [four](vbscript:x) [five](\\javascript:window.taken=8)`,
].join('\n\n');
const LINE = HOSTILE.replaceAll('\n\n', ' ');
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.taken=9</script></svg>';

const NAME = { name: 'mallory', annotations: { note: LINE } };

/** Stored by people, or by other agents, who may write what they like into everything that is text. */
const resources = [
  { kind: 'Agent', metadata: NAME, spec: { systemPrompt: HOSTILE, capabilities: { knowledge: ['search', 'read'] } } },
  { kind: 'Knowledge', metadata: NAME, spec: { path: 'hostile.md', content: HOSTILE } },
  { kind: 'Skill', metadata: NAME, spec: { description: 'Hostile', instructions: HOSTILE } },
  {
    kind: 'Task',
    metadata: NAME,
    spec: { title: LINE.slice(0, 200), description: HOSTILE, owner: { name: 'mallory' } },
  },
  { kind: 'Channel', metadata: NAME, spec: { title: LINE.slice(0, 200) } },
  {
    kind: 'Workflow',
    metadata: NAME,
    spec: { description: HOSTILE, steps: [{ id: 'only', type: 'transform', input: { text: HOSTILE } }] },
  },
];

/** A screen that shows some of them. */
interface Place {
  readonly place: string;
  readonly address: () => string;
  /** A text that is on it once it shows what it is for, where names and titles may be there before. */
  readonly shows?: string | RegExp;
}

const addresses = { session: '', run: '' };

beforeAll(async () => {
  const { api } = instance;
  await api.ok('POST /v1/manifests:apply', {
    ns: 'shop',
    text: resources.map((resource) => JSON.stringify(resource)).join('\n---\n'),
  });
  const file = (path: string, mediaType: string, content: string): Promise<unknown> =>
    api.ok('POST /v1/ns/shop/files', {
      file: { spec: { path, mediaType, retention: 'FILE_RETENTION_RETAINED' } },
      content: Buffer.from(content).toString('base64'),
    });
  await file('/hostile.md', 'text/markdown', HOSTILE);
  await file('/hostile.html', 'text/html', HOSTILE);
  await file('/hostile.svg', 'image/svg+xml', SVG);
  const post = 'POST /v1/ns/shop/channels/mallory/messages';
  await api.ok(post, { author: LINE.slice(0, 100), content: HOSTILE });
  const sessions = 'POST /v1/ns/shop/agents/mallory/sessions';
  const { sessionId } = await api.ok<{ sessionId: string }>(sessions, {});
  // Reasoning, a tool whose answer holds the document, a file, and the text itself.
  const message = `!think ${LINE}\n!tool knowledge_get {"path":"hostile.md"}\n!file hostile.svg ${SVG}\n${HOSTILE}`;
  await api.ok(`${sessions}/${sessionId}/message`, { message, waitSeconds: 20 });
  const runs = 'POST /v1/ns/shop/workflows/mallory/runs';
  const { run } = await api.ok<{ run: { id: string } }>(runs, { inputJson: '{}', waitSeconds: 20 });
  addresses.session = `/ns/shop/agents/mallory/sessions/${sessionId}`;
  addresses.run = `/ns/shop/workflows/mallory/runs/${run.id}`;
});

/** What a page did that nothing in a text may make it do. */
const harm = async ({ page, watcher }: Tab): Promise<readonly unknown[]> => {
  const taken = await page.evaluate(() => Reflect.get(globalThis, 'taken') as unknown);
  const unsafe = await page.locator('a[href^="javascript:" i], a[href^="data:" i], a[href^="vbscript:" i]').count();
  return [taken, unsafe, watcher.take()];
};
const NONE = [undefined, 0, []];

describe('hostile content', () => {
  it.each<Place>([
    { place: 'a conversation', address: () => addresses.session },
    {
      place: 'the timeline of a conversation',
      address: () => `${addresses.session}?view=timeline`,
      shows: 'knowledge_get',
    },
    { place: 'found conversations', address: () => '/ns/shop/sessions?find=hostile' },
    { place: 'an agent', address: () => '/ns/shop/agents/mallory' },
    { place: 'a document', address: () => '/ns/shop/knowledge?doc=hostile.md', shows: /window\.taken/ },
    { place: 'the search of documents', address: () => '/ns/shop/knowledge?q=hostile' },
    { place: 'a skill', address: () => '/ns/shop/skills?skill=mallory' },
    { place: 'a Markdown file', address: () => '/ns/shop/files?file=%2Fhostile.md', shows: /window\.taken/ },
    { place: 'an HTML file', address: () => '/ns/shop/files?file=%2Fhostile.html', shows: /window\.taken/ },
    { place: 'an SVG file', address: () => '/ns/shop/files?file=%2Fhostile.svg', shows: /window\.taken/ },
    { place: 'a channel', address: () => '/ns/shop/channels/mallory' },
    { place: 'tasks', address: () => '/ns/shop/tasks' },
    { place: 'a task', address: () => '/ns/shop/tasks/mallory' },
    { place: 'a workflow', address: () => '/ns/shop/workflows/mallory' },
    { place: 'a run', address: () => addresses.run, shows: 'only' },
    { place: 'a resource', address: () => '/ns/shop/resources/Agent/mallory' },
  ])('in $place runs no script and asks no other server for anything', async ({ address, shows = /hostile/i }) => {
    await using tab = await instance.tab('admin');
    await tab.open(address());
    await tab.page.getByText(shows).filter({ visible: true }).first().waitFor();
    expect(await harm(tab)).toEqual(NONE);
  });

  it('in answers of tools and in files of a conversation stays text when it is opened', async () => {
    await using tab = await instance.tab('admin');
    await tab.open(addresses.session);
    const log = tab.page.getByRole('log');
    const closed = log.locator('details:not([open]) > summary');
    while ((await closed.count()) > 0) await closed.first().click();
    await log.getByText('window.taken=2').first().waitFor();
    expect(await log.locator('img[src^="http"], iframe, script, style').count()).toBe(0);
    expect(await harm(tab)).toEqual(NONE);
  });
});
