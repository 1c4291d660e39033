// @service chromium
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ShopInstance, type Tab, takePicture } from './harness/index.ts';
import { screens } from './screens.ts';

const instance = ShopInstance.ofSuite();

let viewer: Tab;
beforeAll(async () => {
  viewer = await instance.tab('viewer');
  await viewer.open('/');
});
afterAll(() => viewer[Symbol.asyncDispose]());

describe.each(screens)('the screen $name', ({ name, address, shows, isForWriters }) => {
  it('shows what it is for at its own address, and everyone can use it, in light, in dark and on a phone', async () => {
    await using tab = await instance.tab('admin');
    await tab.open(address(instance.seeded));
    await tab.page.getByText(shows).first().waitFor();
    expect(tab.watcher.take()).toEqual([]);
    await takePicture(tab.page, `${name}-light`);
    expect(await tab.accessibilityFaults()).toEqual([]);
    await tab.look({ colorScheme: 'dark' });
    await takePicture(tab.page, `${name}-dark`);
    expect(await tab.accessibilityFaults()).toEqual([]);
    await tab.look({ isPhone: true });
    await takePicture(tab.page, `${name}-phone`);
    expect([await tab.isTooWide(), await tab.accessibilityFaults()]).toEqual([false, []]);
  });

  it('shows it to a viewer who came from another one', async () => {
    if (isForWriters) viewer.watcher.expect(/status of 403 .*ApplyManifests/);
    await viewer.follow(address(instance.seeded));
    await viewer.page.getByText(shows).first().waitFor();
    expect(viewer.watcher.take()).toEqual([]);
  });
});
