import { create } from '@bufbuild/protobuf';
import { GatewayService } from '@svc/api/gateway';
import { McpServerBindingSpecSchema, McpServerSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../auth/index.ts';
import { isJsonMap, openRecord, parseJsonMap, recordKey } from '../../../../resources/index.ts';
import type { ResourceKey } from '../../../../store/contracts/index.ts';
import { ADMIN, type AuthoringWorld, callContext, openAuthoringWorld } from '../../../testing/index.ts';
import { McpReferences } from '../mcp-references.ts';
import { ServerLookup } from './server-lookup.ts';

const SCOPED: Caller = { ...ADMIN, grants: [{ role: 'admin', namespace: 'acme', readSecrets: true }] };
const BINDING = recordKey('McpServerBinding', 'acme', 'desk');
const SHADOW = recordKey('McpServer', 'acme', 'desk');
const STDIO = { transport: 'stdio', target: 'node' };
const HTTP = { transport: 'http', target: 'https://tools.example.org/mcp' };

describe('a binding whose reference leads to a process by now', () => {
  let world: AuthoringWorld;
  let lookup: ServerLookup;

  beforeEach(async () => {
    world = await openAuthoringWorld();
    await world.call(GatewayService.method.createNamespace, { name: 'acme' });
    lookup = new ServerLookup({
      store: world.store,
      references: new McpReferences({ ancestors: async () => [] }, (record) => openRecord(record, world.seal)),
      secret: async () => '',
      brokers: { authorization: () => ({ token: async () => '', rejected: async () => undefined }) },
      grants: { find: async () => undefined },
      tokens: { authorization: () => ({ token: async () => '', rejected: async () => undefined }) },
      visibleNamespaces: async (_reads, namespace) => [namespace],
    });
    await putServer(recordKey('McpServer', 'system', 'desk'), STDIO);
  });
  afterEach(() => world.close());

  const write = (caller: Caller, input: Parameters<AuthoringWorld['writer']['put']>[2]) =>
    world.store.write((tx) => world.writer.put(tx, callContext('apply', caller), input));
  const putServer = (key: ResourceKey, spec: object, caller = ADMIN) =>
    write(caller, { key, spec: create(McpServerSpecSchema, spec) });
  const bind = (spec: object, caller = ADMIN, labels: Readonly<Record<string, string>> = {}) =>
    write(caller, { key: BINDING, labels, spec: create(McpServerBindingSpecSchema, spec) });
  const problems = async (): Promise<unknown> => {
    await world.settle();
    const { conditions } = parseJsonMap((await world.store.direct.resources.get(BINDING))?.status ?? '') ?? {};
    const found = (Array.isArray(conditions) ? conditions : []).filter(isJsonMap);
    return found.find(({ type }) => type === 'ReferencesResolved')?.['message'] ?? '';
  };
  const found = async (): Promise<unknown> => {
    const wanted = await lookup.find('acme', 'desk');
    return typeof wanted === 'object' ? wanted.target() : wanted;
  };

  it('sets nothing of the process when it was written for another server, until it is declared again', async () => {
    await putServer(SHADOW, HTTP, SCOPED);
    await bind({ headers: { NODE_OPTIONS: '--require=/tmp/x' } }, SCOPED);
    expect(await found()).toMatchObject({ transport: 'http', headers: { NODE_OPTIONS: '--require=/tmp/x' } });
    await world.store.write((tx) => world.writer.remove(tx, callContext('delete', SCOPED), { key: SHADOW }));
    expect([await found(), await problems()]).toEqual([
      'foreign-process',
      'args and headers were not written for this process: delete the binding and declare it again',
    ]);
    await bind({ headers: { NODE_OPTIONS: '--require=/tmp/x' } }, SCOPED, { team: 'blue' });
    expect(await found()).toBe('foreign-process');
    await bind({ args: ['--safe'] });
    expect([await found(), await problems()]).toEqual([
      { transport: 'stdio', command: 'node', args: ['--safe'], environment: {} },
      '',
    ]);
  });

  it('is used without a check when it sets nothing of the process', async () => {
    await bind({ policy: { tools: { allowlist: ['a'] } } }, SCOPED);
    expect([await found(), await problems()]).toEqual([
      { transport: 'stdio', command: 'node', args: [], environment: {} },
      '',
    ]);
  });
});
