import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, systemRandom } from '../base/index.ts';
import { fileName, kinds } from '../resources/index.ts';
import { loadConfig } from './config/index.ts';
import { type RunningServer, startApp } from './server.ts';
import { KIND_SAMPLES } from './testing/index.ts';

type Json = Record<string, unknown>;

const authored = kinds.filter((row) => row.writers.resourceService === 'all');
const runtimeOnly = kinds.filter((row) => row.writers.resourceService === 'none');

describe('every kind of the specification', () => {
  let dataDir: string;
  let server: RunningServer;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'svc-kinds-'));
    const flags = { dataDir, 'server.listen': '127.0.0.1:0', 'telemetry.logLevel': 'silent' };
    const { config } = loadConfig({ flags, environment: {}, cwd: dataDir });
    const fatal = (error: unknown): void => {
      throw error;
    };
    const around = {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      environment: {},
      faultPoint: () => undefined,
    };
    server = await startApp(config, { ...around, fatal });
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const call = async (
    path: string,
    init: RequestInit = {},
  ): Promise<{ readonly status: number; readonly body: Json }> => {
    const response = await fetch(`${server.url}${path}`, init);
    return { status: response.status, body: (await response.json()) as Json };
  };
  const address = (kind: string) =>
    kind === 'Namespace'
      ? { ns: 'one', name: 'one' }
      : { ns: 'default', name: kind === 'File' ? fileName('/docs/one.md') : 'one' };
  const parentOf = (kind: string): string => (kind === 'ChannelSubscription' ? '?parent=one' : '');
  const apply = (kind: string, spec: Json, apiVersion = 'svc/v1') => {
    const { ns, name } = address(kind);
    const member = apiVersion === 'svc/v1' ? kind.charAt(0).toLowerCase() + kind.slice(1) : 'raw';
    const metadata = kind === 'Namespace' ? { name } : { name, namespace: ns };
    const manifest = { apiVersion, kind, metadata, spec: { [member]: spec } };
    return call(`/v1/ns/${ns}/resources/${kind}/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ manifest, ...(kind === 'ChannelSubscription' ? { parent: 'one' } : {}) }),
    });
  };
  const path = (kind: string): string => {
    const { ns, name } = address(kind);
    return `/v1/ns/${ns}/resources/${kind}/${name}${parentOf(kind)}`;
  };
  const firstEvents = async (kind: string, ns: string): Promise<string> => {
    const abort = new AbortController();
    const response = await fetch(`${server.url}/v1/ns/${ns}/resources:watch?kinds=${kind}`, { signal: abort.signal });
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (text.includes('BOOKMARK')) break;
    }
    abort.abort();
    return text;
  };

  it.each(authored.map((row) => row.kind))('%s is created', async (kind) => {
    expect(await apply(kind, KIND_SAMPLES[kind] ?? {})).toMatchObject({ status: 200, body: { resource: { kind } } });
  });

  it.each(authored.map((row) => row.kind))(
    '%s is read, listed and watched, with its phase and conditions',
    async (kind) => {
      const { ns, name } = address(kind);
      const one = await call(path(kind));
      expect(one).toMatchObject({ status: 200, body: { resource: { kind, metadata: { name } } } });
      const [status] = Object.values((one.body['resource'] as { readonly status: Json }).status) as [Json];
      expect(status['phase']).toMatch(/^[A-Za-z_]+$/);
      if (kind !== 'Channel') expect(status['conditions']).not.toEqual([]);
      const page = await call(`/v1/ns/${ns}/resources?kind=${kind}&recursive=true`);
      const names = (page.body['resources'] as { metadata: Json }[]).map((resource) => resource.metadata['name']);
      expect(names).toContain(name);
      expect(await firstEvents(kind, ns)).toContain('CREATED');
    },
  );

  it.each(authored.map((row) => row.kind))('%s stays as it is when applied again', async (kind) => {
    const before = await call(path(kind));
    await apply(kind, KIND_SAMPLES[kind] ?? {});
    const after = await call(path(kind));
    const generation = (answer: { readonly body: Json }) =>
      (answer.body['resource'] as { readonly metadata: Json }).metadata['generation'];
    expect(generation(after)).toBe(generation(before));
  });

  it.each(runtimeOnly.map((row) => row.kind))('%s is written by the runtime only', async (kind) => {
    const answer = await apply(kind, {});
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain('KIND_READ_ONLY');
  });

  it.each([...authored].reverse().map((row) => row.kind))('%s is deleted', async (kind) => {
    const answer = await call(path(kind), { method: 'DELETE' });
    expect(answer.status).toBe(200);
    const gone = await call(path(kind));
    if (kind === 'Namespace')
      expect(gone.body).toMatchObject({ resource: { status: { namespace: { isDeleted: true } } } });
    // Its record goes once its backend is gone.
    else if (kind === 'Sandbox' && gone.status === 200)
      expect(gone.body).toMatchObject({ resource: { metadata: { deletionTimestamp: expect.anything() } } });
    else expect(gone.status).toBe(404);
  });

  it('holds custom kinds as raw JSON', async () => {
    const kind = 'Invoice';
    expect(await apply(kind, { json: '{"b":1,"a":[2]}' }, 'example.org/v1')).toMatchObject({ status: 200 });
    expect(await call(path(kind))).toMatchObject({
      body: { resource: { apiVersion: 'example.org/v1', kind, spec: { raw: { json: '{"a":[2],"b":1}' } } } },
    });
    expect((await call(path(kind), { method: 'DELETE' })).status).toBe(200);
  });

  it('finds the record of this process among the workers', async () => {
    const page = await call('/v1/ns/system/resources?kind=Worker');
    expect(page.body['resources']).toMatchObject([
      { status: { worker: { phase: 'ready', version: server.config.transport.version } } },
    ]);
  });

  it('refuses system mount points', async () => {
    for (const mountPath of ['/etc', '/etc/x', '/usr/../etc', '/proc/', 'relative']) {
      const answer = await apply('SandboxPolicy', { classRef: { name: 'x' }, template: { workspace: { mountPath } } });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain('MOUNT_PATH');
    }
    const good = { classRef: { name: 'x' }, template: { workspace: { mountPath: '/workspace' } } };
    expect((await apply('SandboxPolicy', good)).status).toBe(200);
  });
});
