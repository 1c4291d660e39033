import { GatewayService } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordKey } from '../../../resources/index.ts';
import type { ToolSource } from '../../../tools/contract.ts';
import { type AuthoringWorld, openAuthoringWorld, ToolCaller } from '../../testing/index.ts';
import { knowledgeTools } from './knowledge-tools.ts';

const { createNamespace, createNamespaceKnowledge } = GatewayService.method;

describe('knowledge tools', () => {
  let world: AuthoringWorld;
  let tools: ToolSource;
  let caller: ToolCaller;
  /** What searches are told of their query. */
  let notice: { readonly notice: string } | undefined;

  beforeEach(async () => {
    world = await openAuthoringWorld();
    for (const name of ['acme', 'acme:west', 'acme:west:deep', 'acme:east', 'rival'])
      await world.call(createNamespace, { name });
    const visibleNamespaces = async (...[reads, name]: Parameters<typeof world.directory.visible>) =>
      world.directory.visible(reads, name);
    notice = undefined;
    tools = knowledgeTools({ ...world, visibleNamespaces, understand: async () => notice });
    caller = new ToolCaller({ toolSources: [tools] }, { namespace: 'acme:west' });
  });
  afterEach(() => world.close());

  const put = (ns: string, path: string, content: string) =>
    world.call(createNamespaceKnowledge, { ns, knowledge: { spec: { path, content } } });
  const call = (name: string, input: object, change: object = {}) => caller.call(name, input, change);

  it('are offered while there is something to find, and by the list of an agent that has one', async () => {
    const reading = ['knowledge_get', 'knowledge_list', 'knowledge_search'];
    expect(await caller.offered({})).toEqual([]);
    await put('acme', 'guide', 'text');
    expect(await caller.offered({})).toEqual(reading);
    expect(await caller.offered({ knowledge: [] })).toEqual([]);
    expect(await caller.offered({ knowledge: ['write'] })).toEqual(['knowledge_write']);
    expect(await caller.offered({ knowledge: ['*'] })).toEqual([...reading, 'knowledge_write']);
    await put('rival', 'guide', 'text');
    expect(await new ToolCaller({ toolSources: [tools] }, { namespace: 'acme:east' }).offered({})).toEqual(reading);
  });

  it('say when a search went by words only, and find what words find', async () => {
    await put('acme', 'guide', 'Refunds take ten days.');
    expect(await call('knowledge_search', { query: 'refund' })).not.toHaveProperty('notice');
    notice = { notice: 'words only' };
    expect(await call('knowledge_search', { query: 'refund' })).toMatchObject({
      notice: 'words only',
      results: [{ path: 'guide' }],
    });
  });

  it('find, read and list what the namespace and its ancestors hold, and nothing of others', async () => {
    await put('acme', 'guides/refunds.md', 'Refunds take ten days.');
    await put('acme', 'guides/old/fax.md', 'Fax machines.');
    await put('acme:west', 'intro', 'Welcome to the west.');
    await put('acme:east', 'guides/secret.md', 'Refunds of the east.');
    await put('rival', 'refunds', 'Refunds of a rival.');
    const found = await call('knowledge_search', { query: 'refund' });
    expect(found.results).toMatchObject([
      { path: 'guides/refunds.md', namespace: 'acme', snippet: 'Refunds take ten days.' },
    ]);
    expect(await call('knowledge_get', { path: 'REFUNDS.md' })).toMatchObject({ content: 'Refunds take ten days.' });
    const paths = async (input: object) =>
      (await call('knowledge_list', input)).entries.map(({ path }: { path: string }) => path);
    expect(await paths({})).toEqual(['intro', 'guides/']);
    expect(await paths({ path: '/guides/' })).toEqual(['guides/old/', 'guides/refunds.md']);
    expect(await paths({ recursive: true })).toEqual(['intro', 'guides/old/fax.md', 'guides/refunds.md']);
    expect(await call('knowledge_list', { limit: 1 })).toMatchObject({ entries: [{ path: 'intro' }], truncated: true });
    for (const path of ['guides/secret.md', '../acme:east/guides/secret.md', '..', 'rival/refunds'])
      expect(await call('knowledge_get', { path })).toMatchObject({ ok: false, code: 'failed' });
  });

  it('take every query literally', async () => {
    await put('acme:west', 'refunds', 'text');
    for (const query of ['"', 'a" OR 1=1', 'refunds NEAR(', '*', 'path:refunds', "'; drop table x; --", '(((', 'NOT'])
      expect(await call('knowledge_search', { query })).toHaveProperty('results');
  });

  it('refuse a blank query by name', async () => {
    await put('acme:west', 'refunds', 'text');
    expect(await call('knowledge_search', { query: '  ' })).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining('query'),
    });
  });

  it('write the records that the API writes, once for all runs of a call, and leave what people noted', async () => {
    await world.call(createNamespaceKnowledge, {
      ns: 'acme:west',
      knowledge: { metadata: { name: 'faq', labels: { team: 'a' } }, spec: { path: 'help/faq.md', content: 'old' } },
    });
    const capabilities = { knowledge: ['*'] };
    const write = (path: string, content: string, run: string) =>
      call('knowledge_write', { path, content }, { capabilities, idempotencyKey: run });
    expect(await write('/help/faq.md', 'new', 'call-1')).toEqual({
      path: 'help/faq.md',
      namespace: 'acme:west',
      name: 'faq',
      outcome: 'updated',
    });
    expect(await write('übersicht', 'made', 'call-2')).toMatchObject({ outcome: 'created' });
    await world.call(createNamespaceKnowledge, {
      ns: 'acme:west',
      knowledge: { metadata: { name: 'faq', labels: { team: 'b' } }, spec: { path: 'help/faq.md', content: 'later' } },
    });
    await write('/help/faq.md', 'new', 'call-1');
    const record = await world.store.direct.resources.get(recordKey('Knowledge', 'acme:west', 'faq'));
    expect(JSON.parse(record?.spec ?? '')).toMatchObject({ content: 'later' });
    expect([record?.labels['team'], record?.annotations['svc/written-by']]).toEqual(['b', 'acme:west/helper']);
    expect((await call('knowledge_get', { path: 'übersicht' }, { capabilities })).content).toBe('made');
    const rows = await world.store.direct.audit.list({ operation: 'tools/knowledge_write', limit: 9 });
    expect(rows.map(({ identity, requestId, outcome }) => [identity, requestId, outcome])).toEqual([
      ['anna', 'acme:west/helper/s1/t1', 'created'],
      ['anna', 'acme:west/helper/s1/t1', 'updated'],
    ]);
  });

  it('refuse to write at a path that no document can have', async () => {
    const capabilities = { knowledge: ['write'] };
    for (const path of ['..', 'a/../b', 'a//b', './a', 'a\nb'])
      expect(await call('knowledge_write', { path, content: '' }, { capabilities })).toMatchObject({
        code: 'invalid_arguments',
        error: expect.stringContaining('path'),
      });
  });

  it('reach a namespace below only by a grant that says so, and refuse all others alike', async () => {
    await put('acme:west:deep', 'deep', 'below');
    await put('acme:west', 'own', 'text');
    const below = { capabilities: { knowledge: [{ action: '*', namespaces: ['.', '.:*'] }] } };
    expect(await call('knowledge_get', { path: 'deep', namespace: 'acme:west:deep' }, below)).toMatchObject({
      content: 'below',
    });
    const refusals = new Set<string>();
    for (const namespace of ['acme', 'acme:east', 'rival', 'nowhere', 'acme:west:none', '../x'])
      refusals.add(JSON.stringify(await call('knowledge_get', { path: 'deep', namespace }, below)));
    refusals.add(JSON.stringify(await call('knowledge_get', { path: 'deep', namespace: 'acme:west:deep' })));
    expect(refusals.size).toBe(1);
    expect([...refusals][0]).toContain('"denied"');
  });
});
