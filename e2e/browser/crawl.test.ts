// @service chromium
import { expect, it } from 'vitest';
import { Crawler } from './crawl/index.ts';
import { ShopInstance } from './harness/index.ts';
import { screens } from './screens.ts';

const instance = ShopInstance.ofSuite();

it.each([
  ['viewer', { onlyActions: true }],
  ['operator', { onlyActions: true }],
  // The last one, because an admin may delete what the others see.
  ['admin', {}],
] as const)('every control does something for a %s', async (role, options) => {
  await using tab = await instance.tab(role);
  const addresses = screens.map(({ address }) => address(instance.seeded));
  const { faults, clicked } = await new Crawler(tab, addresses, options).run();
  expect(faults).toEqual([]);
  expect(clicked).not.toEqual([]);
});
