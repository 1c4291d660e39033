import { GatewayService } from '@svc/api/gateway';
import { FilePurpose, FileRetention } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../base/index.ts';
import type { SessionRow } from '../../../../store/contracts/index.ts';
import type { NamedSkillFile } from '../../../../tools/skill-contract.ts';
import { ToolCaller } from '../../../testing/index.ts';
import { fileSpec } from '../file-facts.ts';
import { identityFolder } from '../file-rules.ts';
import { PdfTexts } from '../pdf/index.ts';
import { type FileWorld, openFileWorld } from '../testing/file-world.ts';
import { pdfDocument } from '../testing/pdf-document.ts';
import { artifactTools, fileTools, handOverArtifacts, keepArtifact, ToolFiles } from './index.ts';

const SESSION = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';
const CAPABILITIES = { files: ['*'] };

const sessionRow = (id: string): SessionRow => ({
  id,
  namespace: 'default',
  agent: 'helper',
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
let active: ReadonlyMap<string, string>;
let serverFiles: readonly NamedSkillFile[];
const serverBytes: Readonly<Record<string, Uint8Array>> = {
  'refs/FORMS.md': Buffer.from('Form A.'),
  'logo.png': Buffer.from('png'),
  'bad.txt': new Uint8Array([0xff]),
};

beforeEach(async () => {
  world = await openFileWorld();
  active = new Map();
  serverFiles = [];
  for (const name of ['default:below', 'rival']) await world.call(GatewayService.method.createNamespace, { name });
  await world.store.write(async (tx) => {
    for (const id of [SESSION, OTHER]) await tx.log.insertSession(sessionRow(id));
  });
  const { reads, writes } = world.feature;
  const pdf = new PdfTexts({ clock: world.clock, log: silentLog });
  const files = new ToolFiles({
    store: world.store,
    reads,
    visibleNamespaces: (tx, name) => world.directory.visible(tx, name),
    activeSkill: async (_session, name) => active.get(name),
    skillFiles: {
      list: async ({ sessionId }) => (sessionId === SESSION ? serverFiles : []),
      read: async (_session, { path }) => serverBytes[path],
    },
  });
  const parts = { ...world, writes, files, pdf };
  caller = new ToolCaller({ tools: [...fileTools(parts), ...artifactTools(parts)] }, { sessionId: SESSION });
});
afterEach(() => world.shut());

const call = (name: string, input: object, change: object = {}) =>
  caller.call(name, input, { capabilities: CAPABILITIES, ...change });
const stored = async (path: string) => fileSpec(await world.feature.reads.find({ ...FILE, name: await named(path) }));
const FILE = { kind: 'File', namespace: 'default', parent: '' };
const named = async (path: string): Promise<string> => world.nameOf(await world.readFile(path, 3));

describe('file tools', () => {
  it('create, read in parts, change, describe, list and delete a file', async () => {
    const made = await call('create_file', { path: 'reports/a.md', content: 'ab😀cd', index_policy: 'retrieval' });
    expect(made).toMatchObject({ path: '/reports/a.md', media_type: 'text/markdown', purpose: 'artifact' });
    expect(await stored('/reports/a.md')).toMatchObject({ retention: FileRetention.RETAINED });
    expect(await call('read_file', { path: '/reports/a.md', limit: 3 })).toMatchObject({
      content: 'ab😀',
      offset: 0,
      total_chars: 6,
      next_offset: 4,
    });
    expect(await call('read_file', { path: '/reports/a.md', offset: 4 })).toMatchObject({ content: 'cd' });
    expect(await call('update_file', { path: '/reports/a.md', content: 'refunds' })).toMatchObject({ size_bytes: 7 });
    expect(await world.search('refunds')).toEqual(['/reports/a.md']);
    expect(await call('get_file_metadata', { path: '/reports/a.md' })).toMatchObject({ size_bytes: 7 });
    await call('create_file', { path: '/b.txt', content: '' });
    expect((await call('list_files', { prefix: 'reports' })).files).toMatchObject([{ path: '/reports/a.md' }]);
    expect(await call('delete_file', { path: '/reports/a.md' })).toEqual({ path: '/reports/a.md', deleted: true });
    expect((await call('list_files', {})).files).toMatchObject([{ path: '/b.txt' }]);
    const rows = await world.store.direct.audit.list({ operation: 'tools/update_file', limit: 5 });
    expect(rows).toMatchObject([{ identity: 'anna', requestId: `default/helper/${SESSION}/t1`, outcome: 'updated' }]);
  });

  it('read documents as text and show other bytes as they are', async () => {
    await world.made('/doc.pdf', Buffer.from(pdfDocument('Hello reader')).toString('latin1'), {
      mediaType: 'application/pdf',
    });
    expect((await call('read_file', { path: '/doc.pdf' })).content).toContain('Hello reader');
    await world.made('/dot.png', 'png', { mediaType: 'image/png' });
    expect(await call('read_file', { path: '/dot.png' })).toMatchObject({ media_type: 'image/png', size_bytes: 3 });
  });

  it('read the files of active skills of MCP servers, which no tool changes and which take no place of a stored file', async () => {
    const path = '/skills/desk/refunds/refs/FORMS.md';
    expect(await call('read_file', { path })).toMatchObject({ ok: false });
    serverFiles = ['refs/FORMS.md', 'logo.png', 'gone.md', 'bad.txt'].map((own) => ({
      skill: 'desk/refunds',
      path: own,
      sizeBytes: 7,
    }));
    expect(await call('read_file', { path: path.slice(1), limit: 4 })).toEqual({
      path,
      media_type: 'text/markdown',
      purpose: 'skill',
      size_bytes: 7,
      source: 'MCP server desk',
      content: 'Form',
      offset: 0,
      total_chars: 7,
      next_offset: 4,
    });
    const logo = '/skills/desk/refunds/logo.png';
    expect(await call('read_file', { path: logo })).toMatchObject({
      media_type: 'image/png',
      source: 'MCP server desk',
    });
    expect(await call('get_file_metadata', { path: logo })).toMatchObject({ size_bytes: 7, media_type: 'image/png' });
    const listed = async (input: object) =>
      (await call('list_files', input)).files.map((file: { readonly path: string }) => file.path);
    expect(await listed({ prefix: '/skills/desk' })).toHaveLength(4);
    expect(await listed({ purpose: 'skill' })).toHaveLength(4);
    expect(await listed({ purpose: 'memory' })).toEqual([]);
    expect(await listed({ prefix: '/skills/desk/refunds/logo' })).toEqual([logo]);
    expect(await listed({ prefix: '/reports' })).toEqual([]);
    for (const name of ['gone.md', 'bad.txt', 'none.md'])
      expect(await call('read_file', { path: `/skills/desk/refunds/${name}` })).toMatchObject({ ok: false });
    expect(await call('read_file', { path, namespace: 'default:below' }, { reach: 'descendants' })).toMatchObject({
      ok: false,
    });
    expect(await call('read_file', { path }, { sessionId: OTHER })).toMatchObject({ ok: false });
    for (const tool of ['update_file', 'delete_file'])
      expect(await call(tool, { path, content: 'Mine.' })).toMatchObject({ ok: false });
    active = new Map([['desk', 'default']]);
    await world.made(path, 'Stored.', { purpose: FilePurpose.SKILL });
    expect((await call('read_file', { path })).content).toBe('Stored.');
  });

  it('answer a run after a crash as the first one, and change nothing', async () => {
    const first = await call('create_file', { path: '/a', content: '1' }, { idempotencyKey: 'k1' });
    expect(await call('create_file', { path: '/a', content: '1' }, { idempotencyKey: 'k1' })).toEqual(first);
    expect(await call('create_file', { path: '/a', content: '1' }, { idempotencyKey: 'k2' })).toMatchObject({
      ok: false,
      error: expect.stringContaining('/a'),
    });
    await call('update_file', { path: '/a', content: '2' }, { idempotencyKey: 'k3' });
    await call('update_file', { path: '/a', content: '3' });
    await call('update_file', { path: '/a', content: '2' }, { idempotencyKey: 'k3' });
    expect((await call('read_file', { path: '/a' })).content).toBe('3');
    await call('delete_file', { path: '/a' }, { idempotencyKey: 'k4' });
    await call('create_file', { path: '/a', content: 'new' });
    expect(await call('delete_file', { path: '/a' }, { idempotencyKey: 'k4' })).toMatchObject({ deleted: true });
    expect((await call('read_file', { path: '/a' })).content).toBe('new');
  });

  it('refuse paths that leave their folder and what is missing, by name', async () => {
    for (const path of ['/../a', '/a/../../b', '/a//b', '/a/', '/a\\b', '/a\nb'])
      expect(await call('create_file', { path, content: '' })).toMatchObject({
        code: 'invalid_arguments',
        error: expect.stringContaining('path'),
      });
    for (const path of ['/../rival/a', '/none'])
      expect(await call('read_file', { path })).toMatchObject({ ok: false, code: 'failed' });
    expect(await call('create_file', { path: '/a', content: 'x'.repeat(70_000) })).toMatchObject({ ok: false });
  });

  it('show a turn no file of another identity, and none of a skill that is not active', async () => {
    const theirs = `${identityFolder('ben')}note.md`;
    await world.made(theirs, 'private', { purpose: FilePurpose.MEMORY });
    await world.made(`${identityFolder('anna')}note.md`, 'mine', { purpose: FilePurpose.MEMORY });
    await world.made('/skills/sum/table.csv', '1,2', { purpose: FilePurpose.SKILL, mediaType: 'text/csv' });
    const missing = await call('read_file', { path: '/identity/none/note.md' });
    const refused = await call('read_file', { path: theirs });
    expect(refused.error.replace(/[0-9a-f]{12}$/, '')).toContain('file not found');
    expect(missing.code).toBe(refused.code);
    for (const [tool, input] of [
      ['update_file', { path: theirs, content: '' }],
      ['delete_file', { path: theirs }],
      ['create_file', { path: `${identityFolder('ben')}x`, content: '' }],
    ] as const)
      expect(await call(tool, input)).toMatchObject({ ok: false });
    const paths = async () => (await call('list_files', {})).files.map(({ path }: { path: string }) => path);
    expect(await paths()).toEqual([`${identityFolder('anna')}note.md`]);
    expect(await call('read_file', { path: '/skills/sum/table.csv' })).toMatchObject({ ok: false });
    active = new Map([['sum', 'default']]);
    expect((await call('read_file', { path: '/skills/sum/table.csv' })).content).toBe('1,2');
    expect(await paths()).toHaveLength(2);
    await world.made('/skills/far/note', 'inherited', { ns: 'default', purpose: FilePurpose.SKILL });
    active = new Map([['far', 'default']]);
    const below = { namespace: 'default:below' };
    expect((await call('read_file', { path: '/skills/far/note' }, below)).content).toBe('inherited');
    expect(await call('delete_file', { path: '/skills/far/note' }, below)).toMatchObject({ code: 'invalid_arguments' });
  });

  it('show of the namespace of an inherited skill only the files of the skill, not others in its folder', async () => {
    await world.made('/skills/far/notes.txt', 'private', { ns: 'default' });
    active = new Map([['far', 'default']]);
    const below = { namespace: 'default:below' };
    for (const tool of ['read_file', 'get_file_metadata'])
      expect(await call(tool, { path: '/skills/far/notes.txt' }, below)).toMatchObject({ ok: false, code: 'failed' });
    expect((await call('read_file', { path: '/skills/far/notes.txt' })).content).toBe('private');
  });

  it('reach namespaces below only by grant, and refuse all others alike', async () => {
    await world.made('/a', 'below', { ns: 'default:below' });
    await world.made('/a', 'rival', { ns: 'rival' });
    const capabilities = { files: [{ action: '*', namespaces: ['.:*'] }] };
    const below = await call('read_file', { path: '/a', namespace: 'default:below' }, { capabilities });
    expect(below.content).toBe('below');
    const refusals = new Set<string>();
    for (const namespace of ['rival', 'nowhere', 'system'])
      refusals.add(JSON.stringify(await call('read_file', { path: '/a', namespace }, { capabilities })));
    refusals.add(JSON.stringify(await call('read_file', { path: '/a', namespace: 'default:below' })));
    expect([...refusals]).toEqual([expect.stringContaining('"denied"')]);
  });
});

describe('artifact tools', () => {
  it('are offered to every agent; make, change and read an artifact of the session, once for all runs', async () => {
    const free = { capabilities: {}, idempotencyKey: 'k1' };
    const made = await call('create_artifact', { title: 'Q1/Q2', content: '# one', labels: { a: 'b' } }, free);
    expect(made).toMatchObject({ title: 'Q1/Q2', media_type: 'text/markdown', size_bytes: 5, labels: { a: 'b' } });
    expect(await call('create_artifact', { title: 'Q1/Q2', content: '# one' }, free)).toEqual(made);
    const { artifact_uri: uri } = made;
    await call('update_artifact', { artifact_uri: uri, content_base64: Buffer.from('two').toString('base64') });
    expect(await call('get_artifact_metadata', { artifact_uri: uri })).toMatchObject({ size_bytes: 3, title: 'Q1/Q2' });
    await call('update_artifact', { artifact_uri: uri, title: 'Both', media_type: 'text/plain' });
    expect(await call('read_artifact', { artifact_uri: uri })).toMatchObject({ title: 'Both', content: 'two' });
    const page = await world.artifacts.list({ ns: 'default', agent: 'helper', sessionId: SESSION }, EMPTY_PAGE);
    expect(page.artifacts).toHaveLength(1);
    expect(page.artifacts[0]?.filename).toBe('Q1-Q2');
  });

  it('let others read only what was granted, never change it, and promote it where granted', async () => {
    const { artifact_uri: uri } = await call('create_artifact', { title: 't', content: 'kept' });
    const other = { sessionId: OTHER };
    expect(await call('read_artifact', { artifact_uri: uri }, other)).toMatchObject({ code: 'failed' });
    const given = { artifact_uri: uri, target_session_id: OTHER, operations: ['read', 'metadata', 'promote'] };
    const granted = await call('grant_artifact', given, { nowMicros: world.clock.nowMicros() });
    expect(granted).toMatchObject({ target_session_id: OTHER });
    expect((await call('read_artifact', { artifact_uri: uri }, other)).content).toBe('kept');
    for (const [tool, input] of [
      ['update_artifact', { content: 'x' }],
      ['grant_artifact', { target_agent: 'more' }],
    ] as const)
      expect(await call(tool, { artifact_uri: uri, ...input }, other)).toMatchObject({ code: 'invalid_arguments' });
    const promote = { artifact_uri: uri, path: '/kept.md', index_policy: 'retrieval' };
    const promoted = await call('promote_artifact', promote, { ...other, idempotencyKey: 'k1' });
    expect(promoted).toMatchObject({ path: '/kept.md', media_type: 'text/markdown' });
    expect(await call('promote_artifact', promote, { ...other, idempotencyKey: 'k1' })).toEqual(promoted);
    expect(await world.search('kept')).toEqual(['/kept.md']);
  });

  it('are handed over to the session that asked for them, and kept for one whose agent elsewhere sent them', async () => {
    const { artifact_uri: uri } = await call('create_artifact', { title: 'report', content: 'kept' });
    const worker = { namespace: 'default', agent: 'helper', sessionId: SESSION, turnId: 't', identity: 'anna' };
    const target = { namespace: 'default', agent: 'helper', sessionId: OTHER };
    const handOver = handOverArtifacts(world.artifacts);
    expect(await handOver(worker as never, [uri], target)).toMatchObject([
      { mediaType: 'text/markdown', sizeBytes: 4n },
    ]);
    expect((await call('read_artifact', { artifact_uri: uri }, { sessionId: OTHER })).content).toBe('kept');
    const foreign = handOver({ ...worker, sessionId: OTHER } as never, [uri], undefined);
    await expect(foreign).rejects.toThrow('is an artifact of another session');
    const file = { key: 'm/0', mediaType: 'text/csv', filename: '../a.csv', content: Buffer.from('1,2') };
    const kept = await keepArtifact(world.artifacts)(worker, file);
    expect(await keepArtifact(world.artifacts)(worker, file)).toBe(kept);
    expect(await call('read_artifact', { artifact_uri: kept })).toMatchObject({ title: '..-a.csv', content: '1,2' });
  });

  it('refuse foreign URIs, two contents, text that is not base64 and labels of the system', async () => {
    const { artifact_uri: uri } = await call('create_artifact', { title: 't', content: 'kept' });
    for (const foreign of ['artifact://rival/helper/x/y', 'file://default/a', uri.replace('helper', 'other'), '../x'])
      expect(await call('read_artifact', { artifact_uri: foreign })).toMatchObject({ ok: false, code: 'failed' });
    for (const bad of [
      { content: 'a', content_base64: 'YQ==' },
      { content_base64: 'not base64!' },
      { labels: { 'svc/x': 'y' } },
      { media_type: 'text' },
      { title: '' },
    ])
      expect(await call('create_artifact', { title: 't', ...bad })).toMatchObject({ code: 'invalid_arguments' });
  });
});

const EMPTY_PAGE = { pageSize: 0, pageToken: '' };
