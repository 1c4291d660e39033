import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { SecretSpecSchema } from '@svc/api/resources';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { seededRandom } from '../../../base/index.ts';
import { recordKey, sealMap } from '../../../resources/index.ts';
import { openResourceWorld, type ResourceWorld } from '../../testing/index.ts';
import { openSecretKeys } from './index.ts';
import { secretContract } from './secret-kind.ts';

let world: ResourceWorld;
let dataDir: string;
let warnings: (readonly [string, unknown])[];
const random = seededRandom(21);
const file = (): string => join(dataDir, 'keys', 'master.json');

beforeEach(async () => {
  world = await openResourceWorld({ contracts: () => [secretContract()] });
  dataDir = join(world.dataDir, 'node');
  warnings = [];
});
afterEach(() => world.close());

const log = { warn: (text: string, fields?: unknown) => void warnings.push([text, fields]) };
const open = (acceptsLoss = false) =>
  openSecretKeys({ dataDir, configured: [], random, store: world.store, isShared: false, acceptsLoss, log });

/** Stores a Secret whose one value is sealed by the ring. */
const seal = async (name: string, ring: Awaited<ReturnType<typeof open>>['ring']): Promise<void> => {
  const spec = create(SecretSpecSchema, {
    type: 'Opaque',
    data: { password: Buffer.from('hunter2').toString('base64') },
  });
  await world.store.write(async (tx) => {
    const input = { key: recordKey('Secret', 'default', name), spec };
    const { resource } = await world.writer.create(
      tx,
      { requestId: '', operation: '', caller: { identity: 'x' } },
      input,
    );
    const part = { kind: 'Secret', section: 'spec', uid: resource.uid } as const;
    const sealed = sealMap(part, { type: 'Opaque', data: { password: spec.data['password'] ?? '' } }, { seal: ring });
    await tx.resources.replace({ ...resource, spec: JSON.stringify(sealed) }, resource.version, ['spec']);
  });
};
const forget = () => world.store.write((tx) => tx.instance.removeValue('secrets.key'));
const mismatch = (key: string) => ({
  ...{ code: 'FAILED_PRECONDITION', reason: 'KEY_MISMATCH', metadata: { key_id: key } },
  message: expect.stringContaining(`encrypted with key ${key}, which this node does not have`),
});

it('a key file that was lost is not replaced: the start is refused and says what to do', async () => {
  const { ring } = await open();
  await rm(join(dataDir, 'keys'), { recursive: true });
  await expect(open()).rejects.toMatchObject(mismatch(ring.newestId));
  await expect(open()).rejects.toThrow(`put the keys/master.json that holds it into ${dataDir}`);
  expect(existsSync(file())).toBe(false);
});

it('another key file is refused as well, also after a rotation', async () => {
  const first = await open();
  const text = readFileSync(file());
  const id = await first.addKey();
  await open();
  await writeFile(file(), text);
  await expect(open()).rejects.toMatchObject(mismatch(id));
});

it('a store restored without keys is refused while it holds sealed values, and makes no key', async () => {
  const { ring } = await open();
  await seal('db', ring);
  await forget();
  const kept = readFileSync(file());
  await rm(file());
  await expect(open()).rejects.toMatchObject(mismatch(ring.newestId));
  expect(existsSync(file())).toBe(false);
  dataDir = join(world.dataDir, 'other');
  await mkdir(join(dataDir, 'keys'), { recursive: true });
  await writeFile(file(), JSON.stringify({ keys: [{ id: 'k2', key: 'b'.repeat(43) }] }), { mode: 0o600 });
  await expect(open()).rejects.toMatchObject(mismatch(ring.newestId));
  await writeFile(file(), kept);
  expect((await open()).ring.newestId).toBe(ring.newestId);
});

it('a store restored without keys starts when nothing in it is sealed', async () => {
  const { ring } = await open();
  await forget();
  await rm(file());
  expect((await open()).ring.newestId).not.toBe(ring.newestId);
});

it('a store of a release before, in which some values were lost already, still starts', async () => {
  const lost = await open();
  await seal('old', lost.ring);
  await forget();
  await rm(file());
  const now = await open(true);
  await seal('new', now.ring);
  await forget();
  expect(await (await open()).lostValues()).toEqual({
    ...{ count: 1, keyIds: [lost.ring.newestId], holders: ['Secret/default/old'] },
  });
});

it('a key that is lost for good can be given up: the start warns, and the next one needs nothing', async () => {
  const lost = await open();
  await seal('db', lost.ring);
  await rm(file());
  const { ring, lostValues } = await open(true);
  expect(ring.newestId).not.toBe(lost.ring.newestId);
  const text = 'started without the key of stored secrets: they cannot be decrypted';
  expect(warnings).toEqual([[text, { key_id: lost.ring.newestId }]]);
  expect(await lostValues()).toMatchObject({ count: 1, keyIds: [lost.ring.newestId] });
  expect((await open()).ring.newestId).toBe(ring.newestId);
  expect(warnings).toHaveLength(1);
});
