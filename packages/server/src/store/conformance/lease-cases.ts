import { expect, it } from 'vitest';
import type { DescribedName, LeaseWrites, WriteTx } from '../contracts/index.ts';
import { type MakeStore, openFor } from './store-under-test.ts';

/** What a lease table promises. */
export const leaseCases = (make: MakeStore, name: DescribedName): void => {
  const leases = (tx: WriteTx) => tx[name] as LeaseWrites;

  it('are held by one owner until they expire or are released', async () => {
    const { store } = await openFor(make);
    const acquire = (owner: string, now: number) => store.write((tx) => leases(tx).acquire('sweep', owner, now, 100));
    expect(await acquire('a', 0)).toBe(true);
    expect(await acquire('b', 99)).toBe(false);
    expect(await acquire('a', 50)).toBe(true);
    expect(await acquire('b', 149)).toBe(false);
    expect(await acquire('b', 150)).toBe(true);
    await store.write((tx) => leases(tx).release('sweep', 'a'));
    expect(await acquire('a', 151)).toBe(false);
    await store.write((tx) => leases(tx).release('sweep', 'b'));
    expect(await acquire('a', 151)).toBe(true);
  });

  it('are held by one of many owners that want one at once', async () => {
    const { store } = await openFor(make);
    const owners = ['a', 'b', 'c', 'd', 'e'];
    const held = await Promise.all(
      owners.map((owner) => store.write((tx) => leases(tx).acquire('sweep', owner, 0, 100))),
    );
    expect(held.filter(Boolean)).toEqual([true]);
  });
};
