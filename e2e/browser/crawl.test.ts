// @service chromium
import { expect, it } from 'vitest';
import { Crawler } from './crawl/index.ts';
import { ShopInstance } from './harness/index.ts';
import { screens } from './screens.ts';

const instance = ShopInstance.ofSuite();

it.each(['viewer', 'operator', 'admin'] as const)('every control does something for a %s', async (role) => {
  await using tab = await instance.tab(role);
  const addresses = screens.map(({ address }) => address(instance.seeded));
  const { faults, clicked } = await new Crawler(tab, addresses).run();
  expect(faults).toEqual([]);
  expect(clicked.length).toBeGreaterThan(20);
});
