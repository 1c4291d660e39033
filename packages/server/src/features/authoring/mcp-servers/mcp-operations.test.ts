import { create } from '@bufbuild/protobuf';
import {
  GatewayService,
  type ListMcpServerBindingsResponse,
  type ListMcpServersResponse,
  type McpServerBindingResponse,
  type McpServerResponse,
} from '@svc/api/gateway';
import { McpServerSpecSchema, SecretSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../auth/index.ts';
import { kindContract } from '../../../controllers/contract.ts';
import { namespaceKey, recordKey } from '../../../resources/index.ts';
import { ADMIN, type AuthoringWorld, callContext, openAuthoringWorld } from '../../testing/index.ts';
import { McpReferences } from './mcp-references.ts';

const {
  createMcpServer,
  getMcpServer,
  listMcpServers,
  deleteMcpServer,
  createMcpServerBinding,
  getMcpServerBinding,
  listMcpServerBindings,
  deleteMcpServerBinding,
  createNamespace,
  deleteNamespace,
} = GatewayService.method;

const GOOD = { transport: 'http', target: 'https://tools.example.org/mcp' };
const READER: Caller = { ...ADMIN, grants: [{ role: 'viewer', readSecrets: false }] };

describe('MCP servers and bindings', () => {
  let world: AuthoringWorld;

  beforeEach(async () => {
    const secrets = kindContract({ kind: 'Secret', validate: () => [] });
    world = await openAuthoringWorld({ stdioNamespaces: ['tools'], contracts: [secrets] });
    for (const name of ['acme', 'acme:west', 'acme:east', 'tools']) await world.call(createNamespace, { name });
  });
  afterEach(() => world.close());

  const putServer = (name: string, spec: object = GOOD, metadata: object = {}): Promise<McpServerResponse> =>
    world.call(createMcpServer, { server: { metadata: { name, ...metadata }, spec } });
  const putBinding = (ns: string, name: string, spec: object = {}): Promise<McpServerBindingResponse> =>
    world.call(createMcpServerBinding, { ns, binding: { metadata: { name }, spec } });
  const readServer = async (name: string, caller = ADMIN) =>
    ((await world.call(getMcpServer, { name }, caller)) as McpServerResponse).server;
  const readBinding = async (ns: string, name: string, caller = ADMIN) =>
    ((await world.call(getMcpServerBinding, { ns, name }, caller)) as McpServerBindingResponse).binding;
  /** A server in any namespace, through the ResourceService. */
  const apply = (namespace: string, name: string, ...[more = {}, caller = ADMIN]: [more?: object, caller?: Caller]) =>
    world.store.write((tx) =>
      world.writer.put(tx, callContext('apply', caller), {
        key: recordKey('McpServer', namespace, name),
        spec: create(McpServerSpecSchema, { ...GOOD, ...more }),
      }),
    );
  const remove = (kind: string, namespace: string, name: string) =>
    world.store.write((tx) =>
      world.writer.remove(tx, callContext('delete'), { key: recordKey(kind, namespace, name) }),
    );
  const condition = (
    status: { conditions: { type: string; status: string; reason: string }[] } | undefined,
    type: string,
  ) => {
    const found = status?.conditions.find((item) => item.type === type);
    return `${found?.status} ${found?.reason}`;
  };

  it('are made, replaced, listed and deleted', async () => {
    const first = (await putServer('search', GOOD, { labels: { a: 'b' } })).server;
    expect(first).toMatchObject({ metadata: { namespace: 'system', generation: 1n }, spec: GOOD });
    expect(await readServer('search')).toEqual(first);
    const second = (await putServer('search', { ...GOOD, transport: 'sse' }, { namespace: 'system' })).server;
    expect(second).toMatchObject({ metadata: { uid: first?.metadata?.uid, generation: 2n, labels: {} } });
    expect(second?.spec?.transport).toBe('sse');
    await putServer('another');
    await apply('acme', 'elsewhere');
    const page = (await world.call(listMcpServers, { pageSize: 1 })) as ListMcpServersResponse;
    expect(page.servers.map((item) => item.metadata?.name)).toEqual(['another']);
    const rest = (await world.call(listMcpServers, {
      pageSize: 1,
      pageToken: page.nextPageToken,
    })) as ListMcpServersResponse;
    expect([rest.servers.map((item) => item.metadata?.name), rest.nextPageToken]).toEqual([['search'], '']);
    expect(await world.call(deleteMcpServer, { name: 'search' })).toMatchObject({ success: true });
    await expect(readServer('search')).rejects.toMatchObject({ reason: 'MCP_SERVER_NOT_FOUND' });
    await expect(world.call(deleteMcpServer, { name: 'search' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    ['nothing', {}, ['metadata.name', 'spec.transport', 'spec.target']],
    [
      'a foreign namespace',
      { server: { metadata: { name: 'a', namespace: 'acme' }, spec: GOOD } },
      ['metadata.namespace'],
    ],
    ['a path as target', { server: { metadata: { name: 'a' }, spec: { ...GOOD, target: '/x' } } }, ['spec.target']],
  ])('refuse %s', async (_title, request, fields) => {
    await expect(world.call(createMcpServer, request as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      violations: fields.map((field) => ({ field })),
    });
  });

  it('say that they were not tried yet, or why they cannot be', async () => {
    const status = async (more: object) => (await putServer('search', { ...GOOD, ...more })).server?.status;
    const plain = await status({});
    expect([
      plain?.phase,
      condition(plain, 'Reachable'),
      condition(plain, 'ToolsListed'),
      condition(plain, 'Ready'),
    ]).toEqual(['Ready', 'Unknown NotTried', 'Unknown NotTried', 'True Ready']);
    const off = await status({ disabled: true });
    expect([off?.phase, condition(off, 'Reachable'), off?.observedGeneration]).toEqual([
      'Disabled',
      'Unknown Disabled',
      2n,
    ]);
    const brokered = await status({ authBroker: { url: 'https://broker.example.org' } });
    expect(condition(brokered, 'Reachable')).toBe('Unknown PerSessionAuth');
  });

  it('say whether the secret with the address of their broker is there', async () => {
    const made = await putServer('search', { ...GOOD, authBroker: { url: 'secret://broker/url' } });
    expect(condition(made.server?.status, 'ReferencesResolved')).toBe('False Unresolved');
    await world.store.write((tx) =>
      world.writer.put(tx, callContext('apply'), {
        key: recordKey('Secret', 'system', 'broker'),
        spec: create(SecretSpecSchema, { data: { url: 'eA==' } }),
      }),
    );
    await world.settle();
    expect(condition((await readServer('search'))?.status, 'ReferencesResolved')).toBe('True Resolved');
    for (const [args, message] of [
      [['secret://broker/other'], 'secret broker not found'],
      [['secret://broker', 'secret://broker/url/more'], 'a reference is not secret://name/key'],
    ] as const) {
      const { server } = await putServer('search', { ...GOOD, args });
      const found = server?.status?.conditions.find(({ type }) => type === 'ReferencesResolved');
      expect(found).toMatchObject({ status: 'False', message });
    }
  });

  it('run as processes only for unscoped admins and in listed namespaces', async () => {
    const stdio = { transport: 'stdio', target: 'npx' };
    const scoped = (namespace: string): Caller => ({
      ...ADMIN,
      grants: [{ role: 'admin', namespace, readSecrets: true }],
    });
    await putServer('system-wide', stdio);
    const refusal = { code: 'PERMISSION_DENIED', reason: 'SCOPE' };
    await expect(apply('acme', 'local', stdio, scoped('acme'))).rejects.toMatchObject(refusal);
    await expect(apply('acme', 'local', stdio, { identity: 'system' } as Caller)).rejects.toMatchObject(refusal);
    await apply('acme', 'local', stdio);
    await expect(apply('acme', 'local', { target: 'https://x' }, scoped('acme'))).rejects.toMatchObject(refusal);
    await expect(apply('tools', 'local', stdio, scoped('tools'))).resolves.toMatchObject({ outcome: 'created' });
    await expect(apply('acme', 'remote', {}, scoped('acme'))).resolves.toMatchObject({ outcome: 'created' });
    const bind = (namespace: string, spec: object) => {
      const binding = { metadata: { name: 'system-wide' }, spec };
      return world.call(createMcpServerBinding, { ns: namespace, binding }, scoped(namespace));
    };
    for (const spec of [{ args: ['--eval=1'] }, { headers: { NODE_OPTIONS: '--require=x' } }])
      await expect(bind('acme', spec)).rejects.toMatchObject(refusal);
    await expect(bind('acme', { policy: { tools: { allowlist: ['a'] } } })).resolves.toBeDefined();
    await expect(bind('tools', { args: ['--safe'] })).resolves.toBeDefined();
  });

  it('bind a server that resolves, by its own name where none is given', async () => {
    const missing = { code: 'FAILED_PRECONDITION', reason: 'REFERENCE_MISSING' };
    await expect(putBinding('acme', 'search')).rejects.toMatchObject(missing);
    await putServer('search');
    const { binding } = await putBinding('acme', 'search');
    expect(binding).toMatchObject({ metadata: { namespace: 'acme' }, status: { phase: 'Ready' } });
    expect(condition(binding?.status, 'ReferencesResolved')).toBe('True Resolved');
    await expect(putBinding('acme', 'other', { serverRef: 'none' })).rejects.toMatchObject(missing);
    expect((await putBinding('acme', 'other', { serverRef: 'search' })).binding?.spec?.serverRef).toBe('search');
    const page = (await world.call(listMcpServerBindings, { ns: 'acme' })) as ListMcpServerBindingsResponse;
    expect(page.bindings.map((item) => item.metadata?.name)).toEqual(['other', 'search']);
    expect(await world.call(deleteMcpServerBinding, { ns: 'acme', name: 'other' })).toMatchObject({ success: true });
    await expect(readBinding('acme', 'other')).rejects.toMatchObject({ reason: 'MCP_SERVER_BINDING_NOT_FOUND' });
  });

  it('refuse a binding in a wrong place or with wrong fields', async () => {
    await putServer('search');
    const elsewhere = { ns: 'acme', binding: { metadata: { name: 'search', namespace: 'tools' } } };
    await expect(world.call(createMcpServerBinding, elsewhere)).rejects.toMatchObject({ reason: 'PATH_BODY_MISMATCH' });
    await expect(putBinding('nowhere', 'search')).rejects.toMatchObject({ reason: 'NAMESPACE_MISSING' });
    await expect(readBinding('nowhere', 'search')).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_FOUND' });
    await expect(world.call(createMcpServerBinding, { ns: 'acme' })).rejects.toMatchObject({
      violations: [{ field: 'metadata.name' }],
    });
    await expect(putBinding('acme', 'search', { serverRef: '/' })).rejects.toMatchObject({
      violations: [{ field: 'spec.serverRef' }],
    });
  });

  it('refuse a broker that the server together with the binding does not allow', async () => {
    const authBroker = { url: 'https://broker.example.org' };
    const wrong = { code: 'INVALID_ARGUMENT', violations: [{ field: 'spec.authBroker' }] };
    await putServer('process', { transport: 'stdio', target: 'npx' });
    await expect(putBinding('acme', 'process', { authBroker })).rejects.toMatchObject(wrong);
    await putServer('signed', { ...GOOD, headers: { Authorization: 'Bearer x' } });
    await expect(putBinding('acme', 'signed', { authBroker })).rejects.toMatchObject(wrong);
    await putServer('brokered', { ...GOOD, authBroker });
    await expect(putBinding('acme', 'brokered', { headers: { authorization: 'x' } })).rejects.toMatchObject(wrong);
    await expect(putBinding('acme', 'brokered', { authBroker })).resolves.toBeDefined();
  });

  it('degrade bindings when their server goes, and heal them when it is back', async () => {
    await putServer('search');
    await putBinding('acme:west', 'search');
    await world.settle();
    await world.call(deleteMcpServer, { name: 'search' });
    await world.settle();
    const broken = await readBinding('acme:west', 'search');
    expect([
      broken?.status?.phase,
      condition(broken?.status, 'ReferencesResolved'),
      condition(broken?.status, 'Ready'),
    ]).toEqual(['Degraded', 'False Unresolved', 'False Unresolved']);
    await apply('acme', 'search', { disabled: true });
    await world.settle();
    const off = await readBinding('acme:west', 'search');
    expect([off?.status?.phase, condition(off?.status, 'ReferencesResolved')]).toEqual(['Disabled', 'True Resolved']);
    await apply('acme', 'search');
    await world.settle();
    expect((await readBinding('acme:west', 'search'))?.status?.phase).toBe('Ready');
    const before = (await readBinding('acme:west', 'search'))?.metadata?.resourceVersion;
    await world.settle();
    expect((await readBinding('acme:west', 'search'))?.metadata?.resourceVersion).toBe(before);
  });

  // RT-12 64
  it('find secrets of headers upward only when these may be inherited, and hide values from readers', async () => {
    const secret = (namespace: string, annotations: Record<string, string> = {}) =>
      world.store.write((tx) =>
        world.writer.put(tx, callContext('apply'), {
          key: recordKey('Secret', namespace, 'key'),
          spec: create(SecretSpecSchema, { data: { token: 'x' } }),
          annotations,
        }),
      );
    const resolved = async () => condition((await readBinding('acme:west', 'search'))?.status, 'ReferencesResolved');
    await putServer('search', { ...GOOD, headers: { Plain: 'hidden' } });
    await putBinding('acme:west', 'search', { headers: { Token: 'secret://key/token', Plain: 'hidden' } });
    expect(await resolved()).toBe('False Unresolved');
    await secret('acme:east', { 'option.svc/inheritable': 'true' });
    await secret('acme');
    await world.settle();
    expect(await resolved()).toBe('False Unresolved');
    await secret('acme', { 'option.svc/inheritable': 'true' });
    await world.settle();
    expect(await resolved()).toBe('True Resolved');
    await remove('Secret', 'acme', 'key');
    await secret('acme:west');
    await world.settle();
    expect(await resolved()).toBe('True Resolved');

    const shown = await readBinding('acme:west', 'search', READER);
    expect(shown?.spec?.headers).toEqual({ Token: 'secret://key/token', Plain: '' });
    expect((await readServer('search', READER))?.spec?.headers).toEqual({ Plain: '' });
    await putBinding('acme:west', 'search', { headers: shown?.spec?.headers });
    expect((await readBinding('acme:west', 'search'))?.spec?.headers).toEqual({
      Token: 'secret://key/token',
      Plain: 'hidden',
    });
    await putBinding('acme:west', 'search', { headers: { Plain: '' } });
    expect((await readBinding('acme:west', 'search'))?.spec?.headers).toEqual({ Plain: 'hidden' });
  });

  // PL-18 22, the rows of MCP
  it('resolve references from near to far: binding, own, parent, system; never a sibling', async () => {
    const references = new McpReferences(world.directory);
    const target = async () =>
      (await world.store.read((tx) => references.resolve(tx, 'acme:west', 'search')))?.effective.target ?? 'nothing';
    const at = (place: string) => ({ target: `https://${place}.example.org/` });
    expect(await target()).toBe('nothing');
    await apply('acme:east', 'search', at('sibling'));
    expect(await target()).toBe('nothing');
    await apply('system', 'search', at('system'));
    expect(await target()).toBe('https://system.example.org/');
    await apply('acme', 'search', at('parent'));
    expect(await target()).toBe('https://parent.example.org/');
    await apply('acme:west', 'search', at('own'));
    expect(await target()).toBe('https://own.example.org/');
    await apply('acme', 'bound', at('bound'));
    await putBinding('acme:west', 'search', { serverRef: 'bound' });
    expect(await target()).toBe('https://bound.example.org/');
    await putBinding('acme', 'search', { serverRef: 'search' });
    expect(await target()).toBe('https://bound.example.org/');
    await remove('McpServer', 'acme', 'bound');
    expect(await target()).toBe('nothing');
  });

  it('stay readable in a deleted namespace, but are not written any more', async () => {
    await putServer('search');
    await putBinding('acme:west', 'search');
    await world.call(deleteNamespace, { name: 'acme' });
    expect((await readBinding('acme:west', 'search'))?.metadata?.name).toBe('search');
    await expect(putBinding('acme:west', 'search', { disabled: true })).rejects.toMatchObject({
      reason: 'NAMESPACE_DELETED',
    });
    expect(await world.store.direct.resources.get(namespaceKey('acme:west'))).toBeDefined();
  });
});
