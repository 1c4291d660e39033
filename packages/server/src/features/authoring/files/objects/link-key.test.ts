import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock, seededRandom } from '../../../../base/index.ts';
import { RESEAL, ResealWorker } from '../../../../controllers/index.ts';
import type { BlobStore } from '../../../../store/contracts/index.ts';
import { openResourceWorld, type ResourceWorld } from '../../../testing/index.ts';
import { freshKey, KeyRing } from '../../secrets/key-ring.ts';
import { LinkKey, ObjectLinks, SEALED_LINK_KEY } from './object-links.ts';

let world: ResourceWorld;
let warnings: string[];
beforeEach(async () => {
  world = await openResourceWorld();
  warnings = [];
});
afterEach(() => world.close());

const random = seededRandom(3);
const ring = new KeyRing([freshKey(random)], random);
const open = async (seal = ring): Promise<Uint8Array> => {
  const key = new LinkKey({ store: world.store, random, seal, log: { warn: (text) => void warnings.push(text) } });
  await key.open();
  return key.bytes;
};
const stored = async (): Promise<string> => (await world.store.direct.instance.value('object-link-key')) ?? '';
const object = { key: 'k', sha256: 'a'.repeat(64), mediaType: 'image/png', sizeBytes: 3, filename: 'f' };
const linkBy = (bytes: Uint8Array): string =>
  new ObjectLinks({ key: { bytes }, clock: new ManualClock(), blobs: {} as BlobStore }).link('default', object);

it('is stored sealed, and is the same at the next start', async () => {
  const key = await open();
  expect(key).toHaveLength(32);
  expect(await stored()).toMatch(/^sealed:v1:/);
  expect(await stored()).not.toContain(Buffer.from(key).toString('base64'));
  expect(await open()).toEqual(key);
});

it('of a release before, which stored it unsealed, is sealed in place: links that were handed out stay valid', async () => {
  const former = Buffer.alloc(32, 7);
  await world.store.write((tx) => tx.instance.setValue('object-link-key', former.toString('base64')));
  const key = await open();
  expect(linkBy(key)).toBe(linkBy(former));
  expect(await stored()).toMatch(/^sealed:v1:/);
  expect(await open()).toEqual(key);
});

it('is replaced, with a warning, where the key that sealed it was lost', async () => {
  const key = await open();
  const other = await open(new KeyRing([freshKey(seededRandom(4))], random));
  expect(other).not.toEqual(key);
  expect(warnings).toEqual(['the key that signs links to objects could not be opened: another one signs from now on']);
});

it('is sealed by the new key after a rotation', async () => {
  const key = await open();
  ring.add(freshKey(random));
  const worker = new ResealWorker({
    store: world.store,
    seal: ring,
    values: [SEALED_LINK_KEY],
    reseal: async () => undefined,
    notify: () => undefined,
  });
  await worker.run({ kind: RESEAL, key: 'k', payload: '{"kind":0}' });
  expect(ring.isNewest(await stored())).toBe(true);
  expect(await open()).toEqual(key);
});
