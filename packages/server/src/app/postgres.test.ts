// @service postgresql
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../base/index.ts';
import { PostgresServer, postgresProgram } from '../store/postgres/testing/postgres-server.ts';
import { runSql } from '../store/postgres/testing/test-store.ts';
import { loadConfig } from './config/index.ts';
import { type RunningServer, startApp } from './server.ts';

const START_MS = 60_000;
const KEYS = JSON.stringify([{ id: 'first', key: 'a passphrase of some length' }]);

describe.skipIf(postgresProgram() === undefined)('an app on PostgreSQL', () => {
  let postgres: PostgresServer;
  let dataDir: string;
  const start = async (
    environment: Readonly<Record<string, string>> = {},
    where = dataDir,
    { database = 'postgres', ...more }: Readonly<Record<string, string>> = {},
  ): Promise<RunningServer> => {
    const flags = {
      ...{ dataDir: where, 'server.listen': '127.0.0.1:0', 'telemetry.logLevel': 'silent' },
      'store.url': postgres.url(database),
    };
    const { config } = loadConfig({ flags, environment: more, cwd: dataDir });
    const fatal = (error: unknown): void => {
      throw error;
    };
    const around = { clock: systemClock, random: systemRandom, log: silentLog, environment };
    return startApp(config, { ...around, faultPoint: () => undefined, fatal });
  };
  beforeAll(async () => {
    postgres = await PostgresServer.start();
    dataDir = await mkdtemp(join(tmpdir(), 'svc-app-pg-'));
  }, START_MS);
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  });

  const call = async (server: RunningServer, path: string, body?: object) => {
    const response = await fetch(`${server.url}${path}`, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'content-type': 'application/json' },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('keeps resources over a restart, is ready, and is found well by the doctor', async () => {
    const first = await start();
    expect((await call(first, '/readyz')).status).toBe(200);
    expect((await call(first, '/v1/ns/default/agents', { name: 'kept' })).status).toBe(200);
    await first.close();
    const second = await start({ SVC_FAULT_POINT: 'store.none:1' });
    try {
      expect((await call(second, '/v1/ns/default/agents/kept')).status).toBe(200);
      const { body } = await call(second, '/v1/admin/doctor:run', {});
      const checks = body['checks'] as { name: string; result: string; detail: string }[];
      expect(checks.filter(({ result }) => result === 'fail')).toEqual([]);
      expect(checks).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ name: 'store', result: 'ok' }),
          expect.objectContaining({ name: 'store integrity', result: 'ok', detail: 'sound' }),
          expect.objectContaining({ name: 'migrations', result: 'ok' }),
          expect.objectContaining({ name: 'clock', result: 'ok' }),
          expect.objectContaining({ name: 'audit chain', result: 'ok' }),
        ]),
      );
    } finally {
      await second.close();
    }
  });

  it('applies the same documents in another order at the same time, and refuses nobody', async () => {
    const server = await start();
    const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
    const apply = (order: readonly string[], systemPrompt: string) => {
      const manifests = order.map((name) => ({ kind: 'Agent', metadata: { name }, spec: { agent: { systemPrompt } } }));
      return call(server, '/v1/manifests:apply', { ns: 'default', manifests });
    };
    try {
      for (const round of ['created', 'changed']) {
        const calls = Array.from({ length: 4 }, (_, index) =>
          apply(index % 2 === 0 ? names : names.toReversed(), `${round} ${index}`),
        );
        expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      }
      const read = await Promise.all(names.map((name) => call(server, `/v1/ns/default/agents/${name}`)));
      const prompts = read.map(({ body }) => body as { agent: { spec: { systemPrompt: string } } });
      expect(new Set(prompts.map(({ agent }) => agent.spec.systemPrompt)).size).toBe(1);
    } finally {
      await server.close();
    }
  });

  it('signs tokens that a node with another data directory takes', async () => {
    const shared = { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: 'a token of this test', SVC_SECRETS_KEYS: KEYS };
    const folders = ['x', 'y', 'z'].map((name) => join(dataDir, name));
    const url = postgres.url('tokens');
    await runSql(postgres.url('postgres'), 'CREATE DATABASE tokens');
    const nodes = await Promise.all(folders.map((folder) => start({}, folder, { ...shared, database: 'tokens' })));
    try {
      for (const node of nodes) {
        const request = {
          method: 'POST',
          body: JSON.stringify({ grants: [{ role: 'viewer', namespace: 'default' }] }),
        };
        const headers = { 'content-type': 'application/json', authorization: `Bearer ${shared.SVC_AUTH_TOKEN}` };
        const minted = (await (await fetch(`${node.url}/v1/auth/tokens`, { ...request, headers })).json()) as {
          accessToken: string;
        };
        const used = nodes.map((each) =>
          fetch(`${each.url}/v1/ns/default/agents`, { headers: { authorization: `Bearer ${minted.accessToken}` } }),
        );
        expect((await Promise.all(used)).map(({ status }) => status)).toEqual([200, 200, 200]);
      }
      const sets = nodes.map(
        async (node) => (await (await fetch(`${node.url}/.well-known/jwks.json`)).json()) as object,
      );
      const [first] = await Promise.all(sets);
      expect(await Promise.all(sets)).toEqual([first, first, first]);
      expect(first).toMatchObject({ keys: [{ crv: 'Ed25519' }] });
      const found = await runSql(url, `SELECT value FROM instance WHERE name LIKE 'token-key%'`);
      expect(JSON.stringify(found)).not.toMatch(/"d\\?":/);
    } finally {
      for (const node of nodes) await node.close();
    }
  });

  it('refuses to start beside nodes that encrypt secrets with a key it does not have', async () => {
    const first = await start();
    try {
      const elsewhere = join(dataDir, 'elsewhere');
      await expect(start({}, elsewhere)).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        reason: 'KEY_MISMATCH',
        message: expect.stringContaining('keys/master.json'),
      });
      await cp(join(dataDir, 'keys'), join(elsewhere, 'keys'), { recursive: true });
      const second = await start({}, elsewhere);
      expect((await call(second, '/readyz')).status).toBe(200);
      await second.close();
    } finally {
      await first.close();
    }
  });
});
