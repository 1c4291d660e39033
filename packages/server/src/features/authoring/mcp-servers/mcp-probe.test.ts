import { create } from '@bufbuild/protobuf';
import { McpServerSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import type { McpConnection } from '../../../protocols/mcp/contract.ts';
import { McpFailure } from '../../../protocols/mcp/contract.ts';
import { noExtensions } from '../../../protocols/mcp/testing/no-extensions.ts';
import { isJsonMap, parseJsonMap, recordKey } from '../../../resources/index.ts';
import { type AuthoringWorld, callContext, openAuthoringWorld } from '../../testing/index.ts';
import { ConnectionPool, ServerLookup, type WantedServer } from './connections/index.ts';
import { mcpProbe, recordOutcome } from './mcp-probe.ts';
import { McpReferences } from './mcp-references.ts';

const KEY = recordKey('McpServer', 'default', 'desk');
const PROBES = ['mcp-probe'];
const LEASE_MICROS = 60_000_000;

describe('a server of which a turn found that it cannot be reached', () => {
  let world: AuthoringWorld;
  let pool: ConnectionPool;
  let lookup: ServerLookup;
  let lists: number;
  let isDown: boolean;

  const connection: McpConnection = {
    server: { name: 's', version: '1', protocol: '2026-07-28' },
    isClosed: false,
    tools: async () => {
      lists++;
      if (isDown) throw new McpFailure('lost', 'down');
      return [];
    },
    call: () => Promise.reject(new McpFailure('lost', 'not called here')),
    ...noExtensions,
    ping: async () => undefined,
    onToolsChanged: () => undefined,
    close: async () => undefined,
  };

  beforeEach(async () => {
    [lists, isDown] = [0, false];
    world = await openAuthoringWorld();
    const { store, writer, clock } = world;
    const namespaces = { ancestors: async () => [] };
    const references = new McpReferences(namespaces);
    lookup = new ServerLookup({
      store,
      references,
      secret: async () => '',
      brokers: { authorization: () => ({ token: async () => '', rejected: async () => undefined }) },
      grants: { find: async () => undefined },
      tokens: { authorization: () => ({ token: async () => '', rejected: async () => undefined }) },
      visibleNamespaces: async (_reads, namespace) => [namespace],
    });
    pool = new ConnectionPool({
      connector: { connect: async () => connection },
      clock,
      log: silentLog,
      report: (wanted, outcome) => recordOutcome({ store, writer, references }, wanted, outcome),
      keyNow: (wanted) => lookup.keyNow(wanted),
    });
    await store.write((tx) =>
      writer.put(tx, callContext('apply'), {
        key: KEY,
        spec: create(McpServerSpecSchema, { transport: 'http', target: 'https://tools.example.org/mcp' }),
      }),
    );
  });
  afterEach(async () => {
    await pool.close();
    await world.close();
  });

  /** Runs what is due, and answers how many servers were tried. */
  const runDue = async (): Promise<number> => {
    const { store } = world;
    const items = await store.write((tx) => tx.queue.take(PROBES, tx.steadyNow(), LEASE_MICROS, 10));
    for (const { kind, key, payload, token } of items) {
      const outcome = await mcpProbe({ store, lookup, pool }).run({ kind, key, payload, token: '' });
      await pool.reported();
      const dueAt = store.steadyNow() + Number('againMs' in outcome ? outcome.againMs : 0) * 1_000;
      await store.write((tx) =>
        'againMs' in outcome ? tx.queue.retry(kind, key, token, dueAt, payload) : tx.queue.ack(kind, key, token),
      );
    }
    return items.length;
  };
  const reachable = async (): Promise<unknown> => {
    const conditions = parseJsonMap((await world.store.direct.resources.get(KEY))?.status ?? '')?.['conditions'];
    const found = (Array.isArray(conditions) ? conditions : []).filter(isJsonMap);
    return found.find(({ type }) => type === 'Reachable')?.['status'];
  };
  const failIn = async (): Promise<void> => {
    const wanted = (await lookup.findServer('default', 'desk')) as WantedServer;
    const references = new McpReferences({ ancestors: async () => [] });
    const failure = new McpFailure('connect', 'down');
    await recordOutcome({ ...world, references }, wanted, { failure, at: 'connect' });
  };

  it('is tried again after a minute, although this process has a list of it, and then says that it is back', async () => {
    expect([await runDue(), await reachable(), lists]).toEqual([1, 'True', 1]);
    await failIn();
    expect([await reachable(), await runDue()]).toEqual(['False', 0]);
    world.clock.advance(60_000);
    expect([await runDue(), await reachable(), lists]).toEqual([1, 'True', 2]);
    world.clock.advance(60_000);
    expect(await runDue()).toBe(0);
  });

  it('is tried every minute while that fails', async () => {
    await runDue();
    await failIn();
    isDown = true;
    for (let minute = 0; minute < 3; minute++) {
      world.clock.advance(60_000);
      expect([await runDue(), await reachable()]).toEqual([1, 'False']);
    }
    isDown = false;
    world.clock.advance(60_000);
    expect([await runDue(), await reachable()]).toEqual([1, 'True']);
  });
});
