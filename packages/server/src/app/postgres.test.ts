// @service postgresql
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../base/index.ts';
import { PostgresServer, postgresProgram } from '../store/postgres/testing/postgres-server.ts';
import { loadConfig } from './config/index.ts';
import { type RunningServer, startApp } from './server.ts';

const START_MS = 60_000;

describe.skipIf(postgresProgram() === undefined)('an app on PostgreSQL', () => {
  let postgres: PostgresServer;
  let dataDir: string;
  const start = async (environment: Readonly<Record<string, string>> = {}, where = dataDir): Promise<RunningServer> => {
    const flags = {
      ...{ dataDir: where, 'server.listen': '127.0.0.1:0', 'telemetry.logLevel': 'silent' },
      'store.url': postgres.url('postgres'),
    };
    const { config } = loadConfig({ flags, environment: {}, cwd: dataDir });
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
