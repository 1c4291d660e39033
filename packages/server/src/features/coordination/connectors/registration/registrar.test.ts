import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock, seededRandom, silentLog } from '../../../../base/index.ts';
import { QueueRunner } from '../../../../controllers/index.ts';
import { recordKey } from '../../../../resources/index.ts';
import type { Store, StoredResource } from '../../../../store/contracts/index.ts';
import { openGivenStore, removeGivenStore } from '../../../../store/testing/given-store.ts';
import { findSecret } from '../callbacks/callback-secrets.ts';
import { classState } from './class-state.ts';
import { Registrar, type RegistrarDeps } from './registrar.ts';
import { registrationTrigger } from './registration-trigger.ts';
import { secretArrived } from './secret-arrived.ts';

const KEY = recordKey('ConnectorClass', 'default', 'chat');
const UID = '0197e000-0000-7000-8000-000000000001';
const TIMEOUT_MS = 10_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const PAYLOAD = JSON.stringify({ namespace: 'default', name: 'chat', failures: 0 });

/** A request to register that the service has not answered yet. */
interface Registration {
  readonly secret: string;
  answer(status: number): void;
}

let dataDir: string;
let clock: ManualClock;
let store: Store;
let deps: RegistrarDeps;
let registrar: Registrar;
let runner: QueueRunner;
let requests: Registration[];

const request = (init: RequestInit): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { callbackAuthKey } = JSON.parse(String(init.body)) as { readonly callbackAuthKey: string };
    init.signal?.addEventListener('abort', () => reject(new Error('ended')));
    requests.push({ secret: callbackAuthKey, answer: (status) => resolve(new Response('{}', { status })) });
  });

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-registrar-'));
  clock = new ManualClock();
  const random = seededRandom(1);
  store = await openGivenStore({ dataDir, clock, random, log: silentLog, fatal: () => undefined });
  requests = [];
  deps = {
    store,
    clock,
    random,
    log: silentLog,
    environment: {},
    clusterId: 'cluster',
    baseUrl: () => 'https://svc.test',
    namespaces: { requireLive: async () => undefined },
    seal: {
      open: (_place, text) => text,
      hash: (_place, text) => text,
      isHashOf: (hash, _place, text) => hash === text,
    },
    secret: async () => 'key',
    secretProblem: async () => undefined,
    fetch: () => (_url, init) => request(init),
    timeoutMs: TIMEOUT_MS,
    rotationMs: 7 * DAY_MS,
    overlapMs: HOUR_MS,
    classAccepted: async () => undefined,
    writer: {
      writeStatus: async (tx, key, change) => {
        const current = (await tx.resources.get(key)) as StoredResource;
        const annotations = { ...current.annotations, ...(change(current)?.system?.annotations as object) };
        return tx.resources.replace({ ...current, annotations }, current.version, ['metadata']);
      },
    },
  };
  registrar = new Registrar(deps);
  const bus = { subscribe: () => () => undefined };
  runner = new QueueRunner({ store, clock, random, bus, log: silentLog, pollMs: 60_000, workers: [registrar] });
  const meta = { generation: 1, createdAt: 1, labels: {}, annotations: {}, owners: [], finalizers: [] };
  const spec = JSON.stringify({ runtime: { endpoint: 'https://service.test' } });
  const record = { ...meta, key: KEY, uid: UID, apiVersion: 'svc/v1', spec, status: '{}' };
  await store.write((tx) => tx.resources.insert(record));
});
afterEach(async () => {
  runner.close();
  await registrar.close();
  await store.close();
  await removeGivenStore(dataDir);
  await rm(dataDir, { recursive: true });
});

/** A person changes the class, and the reconciler learns of it. */
const change = async (fields: Partial<Pick<StoredResource, 'generation' | 'annotations'>>): Promise<void> => {
  await store.write(async (tx) => {
    const current = (await tx.resources.get(KEY)) as StoredResource;
    const annotations = { ...current.annotations, ...fields.annotations };
    await tx.resources.replace({ ...current, ...fields, annotations }, current.version, ['metadata']);
  });
  await registrationTrigger(deps).reconcile(KEY);
};
/** The class as it is to be registered by the `count`th request, which is answered. */
const answered = async (count: number, status: number): Promise<void> => {
  clock.advance(2_000);
  await runner.tick();
  await expect.poll(() => requests.length).toBe(count);
  requests[count - 1]?.answer(status);
  await registrar.settled();
};
const state = async () => classState((await store.direct.resources.get(KEY))?.annotations);
const secretOf = async (text: string) => {
  const secret = await findSecret(store.direct, text, store.steadyNow());
  if (secret === undefined) throw new Error('the secret is not accepted');
  return secret;
};

it('registers a class again that changed while its service was being asked', async () => {
  await change({});
  await runner.tick();
  await expect.poll(() => requests.length).toBe(1);
  await change({ generation: 2 });
  requests[0]?.answer(200);
  await registrar.settled();
  expect((await state()).registered?.generation).toBe(1);
  await answered(2, 200);
  expect((await state()).registered?.generation).toBe(2);
  for (let run = 0; run < 3; run += 1) {
    clock.advance(DAY_MS);
    await runner.tick();
    await registrar.settled();
  }
  expect(requests).toHaveLength(2);
});

it('asks the service again after a failure, also where the class is again what it was registered as', async () => {
  await change({});
  await answered(1, 200);
  await change({ annotations: { 'option.svc/reregister': '1' } });
  await answered(2, 403);
  expect((await state()).failure?.reason).toBe('RegistrationRefused');
  await change({ annotations: { 'option.svc/reregister': '' } });
  await answered(3, 200);
  expect(await state()).toMatchObject({ registered: { reregister: '' } });
  expect((await state()).failure).toBeUndefined();
});

it('counts an attempt as a success whose secret arrived before the answer was late', async () => {
  await change({});
  await runner.tick();
  await expect.poll(() => requests.length).toBe(1);
  await secretArrived(deps, await secretOf(requests[0]?.secret ?? ''));
  clock.advance(TIMEOUT_MS);
  await registrar.settled();
  clock.advance(2_000);
  await runner.tick();
  await registrar.settled();
  expect(requests).toHaveLength(1);
  expect(await state()).toMatchObject({ registered: { generation: 1 } });
  expect((await state()).failure).toBeUndefined();
});

it('keeps the current secret when an older one arrives late, and gives the service a third', async () => {
  await change({});
  await answered(1, 500);
  await answered(2, 200);
  const [older, current] = requests.map(({ secret }) => secret) as [string, string];
  await secretArrived(deps, await secretOf(older));
  expect([(await secretOf(older)).state, (await secretOf(current)).state]).toEqual(['retiring', 'current']);
  await answered(3, 200);
  expect((await secretOf(requests[2]?.secret ?? '')).state).toBe('current');
  clock.advance(HOUR_MS + 1);
  await expect(secretOf(older)).rejects.toThrow('not accepted');
});

it('sends no key that cannot be decrypted', async () => {
  const apiKey = { plain: 'sealed:v1:lost:AAAA' };
  const spec = JSON.stringify({ runtime: { endpoint: 'https://service.test' }, auth: { kind: 'apiKey', apiKey } });
  await store.write(async (tx) => {
    const current = (await tx.resources.get(KEY)) as StoredResource;
    await tx.resources.replace({ ...current, spec }, current.version, ['spec']);
  });
  const unopened = new Registrar({ ...deps, seal: { ...deps.seal, open: () => undefined } });
  await unopened.run({ kind: 'connector.registration', key: UID, payload: PAYLOAD });
  await unopened.settled();
  expect(requests).toEqual([]);
  expect((await state()).failure).toMatchObject({
    reason: 'CredentialUnavailable',
    message: expect.stringContaining('cannot be decrypted'),
  });
});

it('makes no secret for a class that was deleted meanwhile', async () => {
  await change({});
  let writes = 0;
  const deleting: RegistrarDeps['store'] = {
    direct: store.direct,
    steadyNow: () => store.steadyNow(),
    write: async (work) => {
      writes += 1;
      const current = await store.direct.resources.get(KEY);
      if (current !== undefined) await store.write((tx) => tx.resources.remove(KEY, current.version));
      return store.write(work);
    },
  };
  const late = new Registrar({ ...deps, store: deleting });
  await late.run({ kind: 'connector.registration', key: UID, payload: PAYLOAD });
  await late.settled();
  expect(writes).toBe(1);
  expect(requests).toEqual([]);
  expect(await store.read((tx) => tx.connectorSecrets.page('ofClass', { classUid: UID }, { limit: 10 }))).toEqual([]);
});
