import { GatewayService } from '@svc/api/gateway';
import { FileIndexPolicy, FilePurpose } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import type { SessionRow } from '../../../store/contracts/index.ts';
import { approvalOf } from '../../../tools/index.ts';
import { ToolCaller } from '../../testing/index.ts';
import { identityFolder } from '../files/file-rules.ts';
import { PdfTexts } from '../files/pdf/index.ts';
import { type FileWorld, openFileWorld } from '../files/testing/file-world.ts';
import { retrievedFile, ToolFiles, workspaceSearch } from '../files/tools/index.ts';
import { chunkDocument, indexWords } from '../knowledge/index.ts';
import { KnowledgeLibrary } from '../knowledge/knowledge-library.ts';
import { knowledgeSearch } from '../knowledge/knowledge-search.ts';
import { searchTools } from './search-tools.ts';
import { sessionSearch } from './session-search.ts';

const OWN = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';
const FOREIGN = '01900000-0000-7000-8000-000000000003';
const CAPABILITIES = { search: ['*'] };

const sessionRow = (id: string, agent: string): SessionRow => ({
  id,
  namespace: 'default',
  agent,
  state: 'IDLE',
  fence: 0,
  epoch: 0,
  admission: 0,
  createdAt: 1,
  lastActive: 1,
  openTurns: 0,
  activeTurnId: '',
  lastMessageId: '',
  lastSequence: 0,
  labels: {},
  body: '{}',
});

let world: FileWorld;
let caller: ToolCaller;

beforeEach(async () => {
  world = await openFileWorld();
  const { store, feature } = world;
  await world.call(GatewayService.method.createNamespace, { name: 'rival' });
  await store.write(async (tx) => {
    for (const [id, agent] of [
      [OWN, 'helper'],
      [OTHER, 'helper'],
      [FOREIGN, 'stranger'],
    ] as const) {
      await tx.log.insertSession(sessionRow(id, agent));
      await tx.log.insertMessage({
        id: '000001',
        sessionId: id,
        role: 1,
        createdAt: 5,
        labels: {},
        turnId: '',
        revision: 1,
        parts: JSON.stringify([
          { id: '0', type: 1, content: 'We spoke about lighthouses in the north.' },
          { id: '1', type: 4, content: 'lighthouses of a tool', payload: {} },
        ]),
      });
    }
  });
  const visibleNamespaces = async (_tx: unknown, name: string): Promise<readonly string[]> => [name];
  const library = new KnowledgeLibrary({ visibleNamespaces });
  const files = new ToolFiles({
    store,
    reads: feature.reads,
    visibleNamespaces,
    activeSkill: async () => undefined,
    skillFiles: { list: async () => [], read: async () => undefined },
  });
  const pdf = new PdfTexts({ clock: world.clock, log: silentLog });
  const understand = async () => undefined;
  const deps = { store, files, pdf, visibleNamespaces, understand, searchPlaces: library.searchPlaces.bind(library) };
  const knowledge = knowledgeSearch({ store, library, understand })((context, ref, part) =>
    retrievedFile(deps, context, { ref, part }),
  );
  const sources = [workspaceSearch(deps), knowledge, sessionSearch({ store })];
  caller = new ToolCaller({ toolSources: [searchTools({ sources, approvalOf })] }, { sessionId: OWN });
});
afterEach(() => world.shut());

const index = (path: string, content: string, namespace = 'default') =>
  world.store.write((tx) =>
    tx.search.index({
      ...{
        source: `${namespace}/${path}`,
        kind: 'Knowledge',
        namespace,
        name: path,
        path,
        pathWords: indexWords(path),
      },
      updatedAt: 3,
      chunks: chunkDocument(content),
    }),
  );
const search = async (input: object, change: object = {}) =>
  (await caller.call('search', input, { capabilities: CAPABILITIES, ...change })).results as readonly {
    readonly ref: string;
    readonly kind: string;
    readonly title: string;
  }[];
const open = (ref: string, change: object = {}, part: object = {}) =>
  caller.call('open_result', { ref, ...part }, { capabilities: CAPABILITIES, ...change });

describe('search', () => {
  it('finds files, knowledge and other sessions of the agent at once, and opens what it found', async () => {
    await world.made('/notes/lighthouses.md', 'Lighthouses of the coast.', { indexPolicy: FileIndexPolicy.SEARCH });
    await world.made('/papers/light.md', 'Lighthouses on paper.', { indexPolicy: FileIndexPolicy.RETRIEVAL });
    await index('sea/lighthouses.md', 'Lighthouses and ships.');
    const found = await search({ query: 'lighthouses' });
    expect(found.map(({ kind, title }) => `${kind} ${title}`).sort()).toEqual([
      'knowledge /papers/light.md',
      'knowledge sea/lighthouses.md',
      `sessions user in session ${OTHER}`,
      'workspace /notes/lighthouses.md',
    ]);
    const contents = [];
    for (const { ref, kind } of found)
      if (!ref.startsWith('knowledge:')) contents.push([kind, (await open(ref)).content]);
    expect(contents.sort()).toEqual([
      ['knowledge', 'Lighthouses on paper.'],
      ['sessions', 'We spoke about lighthouses in the north.'],
      ['workspace', 'Lighthouses of the coast.'],
    ]);
    expect(await search({ query: 'lighthouses', kinds: ['sessions'] })).toHaveLength(1);
    expect(await search({ query: 'lighthouses', limit: 2 })).toHaveLength(2);
  });

  it('opens a long text in parts that never end in the middle of a character', async () => {
    await world.store.write((tx) =>
      tx.log.insertMessage({
        id: '000002',
        sessionId: OTHER,
        role: 1,
        createdAt: 6,
        labels: {},
        turnId: '',
        revision: 1,
        parts: JSON.stringify([{ id: '0', type: 1, content: 'ab😀cd' }]),
      }),
    );
    const ref = `session://${OTHER}/000002`;
    expect(await open(ref, {}, { limit: 3 })).toMatchObject({ content: 'ab😀', total_chars: 6, next_offset: 4 });
    const rest = await open(ref, {}, { offset: 4 });
    expect([rest.content, 'next_offset' in rest]).toEqual(['cd', false]);
  });

  it('shows no kind that is not granted, nothing of others, and no memory of another identity', async () => {
    const memory = { purpose: FilePurpose.MEMORY, indexPolicy: FileIndexPolicy.SEARCH };
    const theirs = await world.made(`${identityFolder('ben')}a.md`, 'lighthouses', memory);
    await world.made('/secret.md', 'lighthouses', { ns: 'rival', indexPolicy: FileIndexPolicy.RETRIEVAL });
    const hidden = await world.made('/plain.md', 'lighthouses');
    await index('other', 'Lighthouses.', 'rival');
    const found = await search({ query: 'lighthouses' });
    expect(found.map(({ kind }) => kind)).toEqual(['sessions']);
    const mine = await search({ query: 'lighthouses' }, { identity: 'ben' });
    expect(mine.map(({ title }) => title)).toContain(`${identityFolder('ben')}a.md`);
    for (const ref of [
      `file://default/${world.nameOf(theirs)}`,
      `file://default/${world.nameOf(hidden)}`,
      'file://rival/secret-md',
      'knowledge://rival/other',
      `session://${FOREIGN}/000001`,
      'session://../000001',
      'x',
    ])
      expect(await open(ref)).toMatchObject({ ok: false, error: 'there is no such result' });
    const files = { capabilities: { search: ['workspace', 'open_result'] } };
    expect(await search({ query: 'lighthouses' }, files)).toEqual([]);
    expect(await open(`session://${OTHER}/000001`, files)).toMatchObject({ ok: false });
    expect(await caller.offered({ search: ['open_result'] })).toEqual([]);
  });

  it('takes every query literally and refuses a blank one', async () => {
    await index('sea', 'Ships.');
    for (const query of ['"', 'ships" OR 1=1', 'NEAR(', '*', "'; drop table x; --", '('.repeat(200)])
      expect(await search({ query })).toEqual(expect.any(Array));
    expect(await caller.call('search', { query: ' ' }, { capabilities: CAPABILITIES })).toMatchObject({
      code: 'invalid_arguments',
    });
  });
});
