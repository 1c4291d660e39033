import { create } from '@bufbuild/protobuf';
import {
  GatewayService,
  type KnowledgeResponse,
  type ListNamespaceKnowledgeResponse,
  type NamespaceKnowledgeResponse,
  type SearchKnowledgeResponse,
} from '@svc/api/gateway';
import { KnowledgeSpecSchema } from '@svc/api/resources';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordKey } from '../../../resources/index.ts';
import { sampledNumbers } from '../../../store/testing/sampled.ts';
import { type AuthoringWorld, callContext, openAuthoringWorld } from '../../testing/index.ts';

const {
  createAgent,
  createNamespace,
  deleteNamespace,
  getKnowledge,
  searchKnowledge,
  createNamespaceKnowledge,
  getNamespaceKnowledge,
  listNamespaceKnowledge,
  deleteNamespaceKnowledge,
} = GatewayService.method;

describe('knowledge', () => {
  let world: AuthoringWorld;

  beforeEach(async () => {
    world = await openAuthoringWorld({ responseBytes: 10_000 });
    for (const name of ['acme', 'acme:west', 'acme:east']) await world.call(createNamespace, { name });
    for (const ns of ['acme', 'acme:west', 'acme:east']) await world.call(createAgent, { ns, name: 'helper' });
  });
  afterEach(() => world.close());

  const put = (
    ns: string,
    path: string,
    ...[content = `${ns} ${path}`, metadata]: [content?: string, metadata?: object]
  ): Promise<NamespaceKnowledgeResponse> =>
    world.call(createNamespaceKnowledge, {
      ns,
      knowledge: { spec: { path, content }, ...(metadata === undefined ? {} : { metadata }) },
    });
  const drop = (ns: string, name: string) => world.call(deleteNamespaceKnowledge, { ns, name });
  const modules = async (ns: string, more: object = {}) => {
    const page = (await world.call(getKnowledge, { ns, agent: 'helper', ...more })) as KnowledgeResponse;
    return { paths: page.modules.map((item) => `${item.namespace}/${item.path}`), token: page.nextPageToken, page };
  };
  const search = async (query: string, ns = 'acme:west', limit = 0) =>
    ((await world.call(searchKnowledge, { ns, agent: 'helper', query, limit })) as SearchKnowledgeResponse).results;
  const hits = async (query: string, ns = 'acme:west') =>
    (await search(query, ns)).map((result) => `${result.namespace}/${result.path}`);

  it('is made, replaced, read, listed and deleted', async () => {
    const first = (await put('acme', 'guides/refunds.md', 'Thirty days.', { labels: { a: 'b' } })).knowledge;
    expect(first).toMatchObject({
      metadata: { name: 'guides/refunds.md', namespace: 'acme', generation: 1n },
      status: { phase: 'Ready' },
    });
    expect(first?.status?.conditions.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'Ready True',
      'Indexed True',
    ]);
    const second = (await put('acme', '/guides/refunds.md', 'Sixty days.')).knowledge;
    expect(second?.metadata).toMatchObject({ uid: first?.metadata?.uid, generation: 2n, labels: {} });
    const read = (await world.call(getNamespaceKnowledge, {
      ns: 'acme',
      name: 'guides/refunds.md',
    })) as NamespaceKnowledgeResponse;
    expect(read.knowledge).toEqual(second);
    await put('acme', 'a');
    const page = (await world.call(listNamespaceKnowledge, {
      ns: 'acme',
      pageSize: 1,
    })) as ListNamespaceKnowledgeResponse;
    expect(page.knowledge.map((item) => item.metadata?.name)).toEqual(['a']);
    const rest = (await world.call(listNamespaceKnowledge, {
      ns: 'acme',
      pageSize: 1,
      pageToken: page.nextPageToken,
    })) as ListNamespaceKnowledgeResponse;
    expect([rest.knowledge.map((item) => item.metadata?.name), rest.nextPageToken]).toEqual([
      ['guides/refunds.md'],
      '',
    ]);
    expect(await drop('acme', 'a')).toMatchObject({ success: true });
    await expect(drop('acme', 'a')).rejects.toMatchObject({ reason: 'KNOWLEDGE_NOT_FOUND' });
    await expect(drop('nowhere', 'a')).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    const stale = put('acme', 'guides/refunds.md', 'x', { resourceVersion: first?.metadata?.resourceVersion });
    await expect(stale).rejects.toMatchObject({ code: 'ABORTED', reason: 'CONFLICT' });
  });

  it('lets name and path stand in for each other, one path to one name', async () => {
    const named = await put('acme', '', 'x', { name: 'only:name' });
    expect(named.knowledge?.spec?.path).toBe('only:name');
    const both = await put('acme', 'Über/uns.md', 'x', { name: 'about' });
    expect(both.knowledge).toMatchObject({ metadata: { name: 'about' }, spec: { path: 'Über/uns.md' } });
    const taken = { code: 'ALREADY_EXISTS', reason: 'PATH_TAKEN', metadata: { path: 'Über/uns.md', name: 'about' } };
    await expect(put('acme', 'U\u0308ber/uns.md', 'x', { name: 'other' })).rejects.toMatchObject(taken);
    await put('acme', 'moved.md', 'x', { name: 'about' });
    await expect(put('acme', 'Über/uns.md', 'x', { name: 'other' })).resolves.toBeDefined();
    await expect(put('acme:west', 'moved.md', 'x', { name: 'other' })).resolves.toBeDefined();
  });

  it.each([
    ['nothing', { ns: 'acme' }, ['metadata.name', 'spec.path']],
    ['a path that is no name', { ns: 'acme', knowledge: { spec: { path: 'a b' } } }, ['metadata.name']],
    [
      'a path with dots',
      { ns: 'acme', knowledge: { metadata: { name: 'a' }, spec: { path: 'a/../b' } } },
      ['spec.path'],
    ],
    [
      'a foreign namespace',
      { ns: 'acme', knowledge: { metadata: { name: 'a', namespace: 'x' } } },
      ['metadata.namespace'],
    ],
  ])('refuses %s', async (_title, request, fields) => {
    await expect(world.call(createNamespaceKnowledge, request as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: fields.map((field) => ({ field })),
    });
  });

  // PL-18 22 (knowledge by path) and 31
  it('shows own modules first, then by path, and hides what a nearer namespace holds', async () => {
    await put('acme', 'b');
    await put('acme', 'a');
    await put('acme:west', 'b');
    await put('acme:west', 'z');
    await put('acme:east', 'sibling');
    await put('system', 'global');
    expect((await modules('acme:west')).paths).toEqual(['acme:west/b', 'acme:west/z', 'acme/a']);
    expect((await modules('acme')).paths).toEqual(['acme/a', 'acme/b']);
    const { page } = await modules('acme:west', { path: 'b' });
    expect(page.modules).toMatchObject([{ path: 'b', content: 'acme:west b', namespace: 'acme:west', name: 'b' }]);
    expect(page.modules[0]?.updatedAt).toBeGreaterThan(0n);
    await drop('acme:west', 'b');
    expect((await modules('acme:west', { path: 'b' })).paths).toEqual(['acme/b']);
  });

  it('is one record, whichever door wrote it', async () => {
    await put('acme', 'notes/x.md', 'by operation', { name: 'x' });
    await world.store.write((tx) =>
      world.writer.put(tx, callContext('apply'), {
        key: recordKey('Knowledge', 'acme', 'x'),
        spec: create(KnowledgeSpecSchema, { path: 'notes/x.md', content: 'by manifest' }),
      }),
    );
    const { page } = await modules('acme', { path: 'x.md' });
    expect(page.modules).toMatchObject([{ content: 'by manifest', name: 'x' }]);
    expect(await hits('manifest', 'acme')).toEqual(['acme/notes/x.md']);
    expect(await hits('operation', 'acme')).toEqual([]);
  });

  it('is found by the end of its path where that is the only one, near before far', async () => {
    await put('acme', 'far/Guide.md');
    await put('acme', 'only/far.md');
    await put('acme:west', 'one/guide.md');
    await put('acme:west', 'spread.md');
    const one = async (path: string) => (await modules('acme:west', { path })).paths[0];
    expect(await one('GUIDE.md')).toBe('acme:west/one/guide.md');
    expect(await one('/far.md')).toBe('acme/only/far.md');
    await put('acme:west', 'two/guide.md');
    expect(await one('guide.md')).toBe('acme/far/Guide.md');
    expect(await one('two/guide.md')).toBe('acme:west/two/guide.md');
    await put('acme:west', 'far/Guide.md');
    for (const path of ['guide.md', 'read.md', 'nothing', '..', 'a//b', '%', 'x\0'])
      await expect(one(path)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'KNOWLEDGE_NOT_FOUND' });
  });

  it('comes in pages that end at their size or at the bytes of an answer', async () => {
    for (const name of ['a', 'b', 'c']) await put('acme', name, name.repeat(4_000));
    await put('acme:west', 'd', 'd');
    const first = await modules('acme:west', { pageSize: 3 });
    expect(first.paths).toEqual(['acme:west/d', 'acme/a', 'acme/b']);
    const second = await modules('acme:west', { pageSize: 3, pageToken: first.token });
    expect([second.paths, second.token]).toEqual([['acme/c'], '']);
    const cut = await modules('acme:west');
    expect(cut.paths).toEqual(['acme:west/d', 'acme/a', 'acme/b']);
    await put('acme', 'a', 'x'.repeat(20_000));
    expect((await modules('acme')).paths).toEqual(['acme/a']);
    await expect(modules('acme', { pageToken: first.token })).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' });
  });

  it('needs an agent, and a query', async () => {
    const missing = { ns: 'acme', agent: 'none', query: 'x' };
    await expect(world.call(getKnowledge, missing)).rejects.toMatchObject({ reason: 'AGENT_NOT_FOUND' });
    await expect(world.call(searchKnowledge, missing)).rejects.toMatchObject({ reason: 'AGENT_NOT_FOUND' });
    await expect(world.call(searchKnowledge, { ...missing, ns: 'none' })).rejects.toMatchObject({
      reason: 'NAMESPACE_NOT_FOUND',
    });
    await expect(search(' \n')).rejects.toMatchObject({ violations: [{ field: 'query', reason: 'QUERY_REQUIRED' }] });
    await expect(search('x'.repeat(1_025))).rejects.toMatchObject({ reason: 'FIELD_INVALID' });
    await expect(search('x', 'acme', -1)).rejects.toMatchObject({ violations: [{ field: 'limit' }] });
  });

  // PL-18 32 (documents) and RT-12 66
  it('is found when its write returns, a title above a mention, with a snippet and a score', async () => {
    const filler = 'other words that fill the page without any meaning. '.repeat(60);
    await put('acme', 'policies/returns.md', `# Money\n\n${filler} All about refunds is told here. ${filler}`);
    await put('acme', 'policies/refunds.md', `# Money back\n\nWithin thirty days. ${filler}`);
    for (let index = 0; index < 6; index++) await put('acme', `noise-${index}`, filler);
    const results = await search('Refunds?');
    expect(results.map((result) => result.path)).toEqual(['policies/refunds.md', 'policies/returns.md']);
    const [title, mention] = results;
    expect(title?.score).toBe(1);
    expect(mention?.score).toBeGreaterThan(0);
    expect(mention?.score).toBeLessThan(title?.score ?? 0);
    expect(mention?.snippet).toContain('All about refunds is told here.');
    for (const { snippet } of results) expect(snippet.length).toBeLessThanOrEqual(240);
    expect(title).toMatchObject({ namespace: 'acme', timestamp: expect.any(BigInt) });
    await put('acme', 'policies/refunds.md', filler);
    await drop('acme', 'policies/returns.md');
    expect(await hits('thirty refunds')).toEqual(['acme/policies/refunds.md']);
    expect(await hits('thirty')).toEqual([]);
  });

  it('answers at most as many as asked for, nearer ones first among equals', async () => {
    for (let index = 0; index < 60; index++) await put('acme', `same-${String(index).padStart(2, '0')}`, 'equal text');
    await put('acme:west', 'same-99', 'equal text');
    expect(await hits('equal')).toEqual([
      'acme:west/same-99',
      'acme/same-00',
      'acme/same-01',
      'acme/same-02',
      'acme/same-03',
    ]);
    expect(await search('equal', 'acme:west', 3)).toHaveLength(3);
    expect(await search('equal', 'acme:west', 500)).toHaveLength(50);
  });

  // RT-R54
  it('never shows what is shadowed, foreign, deleted or in a deleted namespace', async () => {
    await put('acme', 'shared', 'needle far');
    await put('acme', 'kept', 'needle kept');
    await put('acme:west', 'shared', 'silent');
    await put('acme:east', 'foreign', 'needle');
    expect(await hits('needle')).toEqual(['acme/kept']);
    expect(await hits('shared')).toEqual(['acme:west/shared']);
    expect(await hits('needle', 'acme')).toEqual(['acme/kept', 'acme/shared']);
    await drop('acme:west', 'shared');
    expect(await hits('needle')).toEqual(['acme/kept', 'acme/shared']);
    await world.call(deleteNamespace, { name: 'acme' });
    expect(await hits('needle')).toEqual([]);
    expect((await modules('acme:west')).paths).toEqual([]);
    await expect(put('acme:west', 'late')).rejects.toMatchObject({ reason: 'NAMESPACE_DELETED' });
    const left = (await world.call(listNamespaceKnowledge, { ns: 'acme' })) as ListNamespaceKnowledgeResponse;
    expect(left.knowledge).toHaveLength(2);
  });

  it('finds words of scripts without blanks', async () => {
    await put('acme', 'ja', '返品は三十日以内に東京の店で受け付けます。');
    expect(await hits('東京')).toEqual(['acme/ja']);
    expect(await hits('京東')).toEqual([]);
  });

  it('takes any query as it is: no text is an error, and its own words are found', async () => {
    await put('acme', 'doc', 'a needle in text');
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.stringMatching(/^["'()*:^{}+\\ A-Z-]{1,40}$/),
      fc.constantFrom(
        '"',
        'a"b',
        'NEAR(a, 2)',
        'path:x',
        '-x',
        "'; DROP TABLE search_documents; --",
        '%',
        '_',
        '\0',
        '\ud800',
        '🤖',
      ),
    );
    await fc.assert(
      fc.asyncProperty(text, async (query) => {
        if (query.trim() === '') return;
        for (const result of await search(query)) expect(result.score).toBeGreaterThan(0);
        expect(await hits(`${query} needle`)).toEqual(['acme/doc']);
      }),
      { numRuns: sampledNumbers(150, 30).length },
    );
  });

  it('takes any content, and forgets it whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 400 }), async (content) => {
        await put('acme', 'doc', `${content}\n\nneedle`);
        expect(await hits('needle')).toEqual(['acme/doc']);
        await drop('acme', 'doc');
        expect(await hits('needle')).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
