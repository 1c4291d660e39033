import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, seededRandom, silentLog } from '../../base/index.ts';
import type { Store } from '../../store/contracts/index.ts';
import { openGivenStore, removeGivenStore } from '../../store/testing/given-store.ts';
import { createSourceKeeper, type KeepSources, trimSources } from './prompt-sources.ts';

const DAY_MS = 86_400_000;
const TEXT = { hash: 'h', text: '"text"' };

let dataDir: string;
let clock: ManualClock;
let store: Store;
let keep: KeepSources;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-sources-'));
  clock = new ManualClock();
  store = await openGivenStore({ dataDir, clock, random: seededRandom(1), log: silentLog, fatal: () => undefined });
  keep = createSourceKeeper();
});
afterEach(async () => {
  await store.close();
  await removeGivenStore(dataDir);
  await rm(dataDir, { recursive: true });
});

const use = (uid: string): Promise<void> => store.write((tx) => keep(tx, { namespace: 'acme', uid }, [TEXT]));
const kept = () => store.read((tx) => tx.promptSources.page('oldest', {}, { limit: 10 }));
const forget = (): Promise<void> =>
  store.write((tx) => tx.promptSources.remove({ namespace: 'acme', hash: TEXT.hash }));
const trim = (): Promise<number> => store.write((tx) => trimSources(tx, tx.now(), 10));

describe('texts that requests were made of', () => {
  it('are written when an agent first uses them, and once a day from then on', async () => {
    await use('one');
    expect(await kept()).toMatchObject([{ namespace: 'acme', hash: 'h', body: '"text"' }]);
    await forget();
    await use('one');
    expect(await kept()).toEqual([]);
    clock.advance(DAY_MS);
    await use('one');
    expect(await kept()).toHaveLength(1);
  });

  it('are written again for an agent of a namespace that was purged and made again', async () => {
    await use('one');
    await forget();
    await use('two');
    expect(await kept()).toHaveLength(1);
  });

  it('are written again when the transaction that wrote them failed', async () => {
    const failed = store.write(async (tx) => {
      await keep(tx, { namespace: 'acme', uid: 'one' }, [TEXT]);
      throw new Error('undone');
    });
    await expect(failed).rejects.toThrow('undone');
    await use('one');
    expect(await kept()).toHaveLength(1);
  });

  it('are removed when they were not used for 30 days', async () => {
    await use('one');
    clock.advance(29 * DAY_MS);
    await use('one');
    clock.advance(29 * DAY_MS);
    expect(await trim()).toBe(0);
    clock.advance(DAY_MS);
    expect(await trim()).toBe(1);
    expect(await kept()).toEqual([]);
  });
});
