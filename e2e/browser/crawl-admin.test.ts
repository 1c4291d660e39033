// @service chromium
import { expect, it } from 'vitest';
import { CRAWL_MS, Crawler } from './crawl/index.ts';
import { ShopInstance } from './harness/index.ts';
import { addressesOf } from './screens.ts';

/** Its own, because an admin deletes what others would see. */
const instance = ShopInstance.ofSuite();

it(
  'the controls of the screens do something for an admin',
  async () => {
    await using tab = await instance.tab('admin');
    const { faults, clicked } = await new Crawler(tab, addressesOf(instance.seeded)).run();
    expect(faults).toEqual([]);
    expect(clicked).not.toEqual([]);
  },
  CRAWL_MS,
);
