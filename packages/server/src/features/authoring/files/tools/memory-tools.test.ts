import { FileService, type ForgetMemoryResponse, GatewayService, type ListMemoryResponse } from '@svc/api/gateway';
import { FileIndexPolicy, FilePurpose } from '@svc/api/resources';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../../../base/index.ts';
import { ToolCaller } from '../../../testing/index.ts';
import { KnowledgeLibrary } from '../../knowledge/knowledge-library.ts';
import { identityFolder } from '../file-rules.ts';
import { PdfTexts } from '../pdf/index.ts';
import { type FileWorld, openFileWorld } from '../testing/file-world.ts';
import { memoryTools, ToolFiles } from './index.ts';

const CAPABILITIES = { memory: ['*'] };

let world: FileWorld;
let caller: ToolCaller;

beforeEach(async () => {
  world = await openFileWorld();
  const { reads, writes } = world.feature;
  const files = new ToolFiles({
    store: world.store,
    reads,
    visibleNamespaces: (tx, name) => world.directory.visible(tx, name),
    activeSkill: async () => undefined,
    skillFiles: { list: async () => [], read: async () => undefined },
  });
  const library = new KnowledgeLibrary({ visibleNamespaces: async (_tx, name) => [name] });
  const tools = memoryTools({
    store: world.store,
    files,
    writes,
    pdf: new PdfTexts({ clock: world.clock, log: silentLog }),
    searchPlaces: library.searchPlaces.bind(library),
    understand: async () => undefined,
  });
  caller = new ToolCaller({ toolSources: [tools] });
});
afterEach(() => world.shut());

const agent = (name: string, memory: string): Promise<unknown> =>
  world.call(GatewayService.method.createAgent, {
    ns: 'default',
    name,
    spec: {},
    annotations: { 'option.svc/memory': memory },
  });
const as = (identity: string, name = 'helper', change: object = {}) => ({
  capabilities: CAPABILITIES,
  identity,
  agent: name,
  ...change,
});
const found = async (query: string, change: object): Promise<readonly string[]> =>
  (await caller.call('search_memory', { query }, change)).results.map(({ path }: { path: string }) => path);
const listed = async (change: object, input: object = {}): Promise<readonly string[]> =>
  (await caller.call('list_memory', input, change)).memories.map(({ path }: { path: string }) => path);

it('memory is shared by all turns of a namespace unless the agent says otherwise', async () => {
  const made = await caller.call('create_memory', { path: 'likes.md', content: 'Likes green tea.' }, as('anna'));
  expect(made).toMatchObject({ path: '/likes.md', owner: 'shared', size_bytes: 16 });
  expect((await caller.call('read_memory', { path: '/likes.md' }, as('ben'))).content).toBe('Likes green tea.');
  expect(await found('tea', as('ben'))).toEqual(['/likes.md']);
  await caller.call('update_memory', { path: 'likes.md', content: 'Likes coffee.' }, as('ben'));
  expect([await found('tea', as('anna')), await found('coffee', as('anna'))]).toEqual([[], ['/likes.md']]);
  expect(await listed(as('anna'), { prefix: 'likes.md' })).toEqual(['/likes.md']);
});

it('what belongs to one identity is seen in no turn of another, in search neither, whatever the path and the index', async () => {
  await agent('private', 'identity');
  const own = `${identityFolder('anna')}likes.md`;
  const anna = as('anna', 'private');
  expect(await caller.call('create_memory', { path: 'likes.md', content: 'tea' }, anna)).toMatchObject({
    path: own,
    owner: 'identity',
  });
  await world.made(`${identityFolder('anna')}more.md`, 'tea', {
    purpose: FilePurpose.MEMORY,
    indexPolicy: FileIndexPolicy.RETRIEVAL,
  });
  await caller.call('create_memory', { path: 'likes.md', content: 'shared tea' }, as('ben'));
  for (const path of ['likes.md', own]) {
    expect((await caller.call('read_memory', { path }, anna)).content).toBe('tea');
    const theirs = await caller.call('read_memory', { path }, as('ben', 'private'));
    expect(theirs.content).toBe(path === own ? undefined : 'shared tea');
    await caller.call('update_memory', { path, content: path === own ? 'stolen' : 'shared tea 2' }, as('ben'));
  }
  expect(await found('tea', anna)).toHaveLength(3);
  for (const name of ['helper', 'private']) {
    expect(await found('tea', as('ben', name))).toEqual(['/likes.md']);
    expect(await listed(as('ben', name))).toEqual(['/likes.md']);
    expect(await listed(as('ben', name), { prefix: identityFolder('anna') })).toEqual([]);
  }
  expect(await world.search('tea')).toEqual([]);
  const stolen = await caller.call('create_memory', { path: `${identityFolder('anna')}x`, content: '' }, as('ben'));
  expect(stolen).toMatchObject({ code: 'invalid_arguments', error: expect.stringContaining('path') });
});

it('an agent whose memory is off has none of the tools, and a mistyped option is refused by name', async () => {
  await agent('forgetful', 'off');
  expect(await caller.offered(CAPABILITIES, { agent: 'forgetful' })).toEqual([]);
  expect(await caller.offered(CAPABILITIES)).toHaveLength(5);
  expect(await caller.offered({ memory: ['inspect'] })).toEqual(['list_memory', 'search_memory']);
  await expect(agent('typo', 'identitiy')).rejects.toMatchObject({
    violations: [{ field: expect.stringContaining('option.svc/memory') }],
  });
});

it('search takes every query literally and finds memory only', async () => {
  await world.made('/tea.md', 'tea', { indexPolicy: FileIndexPolicy.RETRIEVAL });
  await caller.call('create_memory', { path: 'a.md', content: 'tea' }, as('anna'));
  expect(await found('tea', as('anna'))).toEqual(['/a.md']);
  for (const query of ['"', 'tea" OR 1=1', 'NEAR(', '*', "'; drop table x; --", '../'])
    expect(await caller.call('search_memory', { query }, as('anna'))).toHaveProperty('results');
  expect(await caller.call('search_memory', { query: ' ' }, as('anna'))).toMatchObject({ code: 'invalid_arguments' });
});

it('a run after a crash remembers once', async () => {
  const run = as('anna', 'helper', { idempotencyKey: 'k' });
  const first = await caller.call('create_memory', { path: 'a.md', content: 'x' }, run);
  expect(await caller.call('create_memory', { path: 'a.md', content: 'x' }, run)).toEqual(first);
  expect(await caller.call('create_memory', { path: 'a.md', content: 'x' }, as('anna'))).toMatchObject({ ok: false });
});

it('memory is listed by its owner and forgotten with all that belongs to an identity, audited, once and again', async () => {
  await agent('private', 'identity');
  for (const identity of ['anna', 'ben'])
    await caller.call('create_memory', { path: 'likes.md', content: 'tea' }, as(identity, 'private'));
  await caller.call('create_memory', { path: 'shared.md', content: 'tea' }, as('anna'));
  const { listMemory, forgetMemory } = FileService.method;
  const paths = async (identity: string) => {
    const page: ListMemoryResponse = await world.call(listMemory, { ns: 'default', identity });
    return page.files.map(({ spec }) => spec?.path);
  };
  const forget = (identity: string): Promise<ForgetMemoryResponse> =>
    world.call(forgetMemory, { ns: 'default', identity });
  expect([await paths(''), await paths('anna')]).toEqual([['/shared.md'], [`${identityFolder('anna')}likes.md`]]);
  await expect(forget('')).rejects.toMatchObject({ violations: [{ field: 'identity' }] });
  expect([(await forget('anna')).removed, (await forget('anna')).removed]).toEqual([1, 0]);
  expect([await paths('anna'), await found('tea', as('anna', 'private'))]).toEqual([[], ['/shared.md']]);
  expect(await found('tea', as('ben', 'private'))).toHaveLength(2);
  const rows = await world.store.direct.audit.list({ limit: 3 });
  expect(rows.map(({ target, outcome }) => `${target.split('/')[0]} ${outcome}`)).toEqual([
    ...['Memory deleted', 'Memory deleted', 'File deleted'],
  ]);
});
