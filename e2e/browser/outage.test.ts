// @service chromium
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RestCaller } from '../calls/index.ts';
import { ShopInstance, type Tab } from './harness/index.ts';
import { screens } from './screens.ts';

const instance = ShopInstance.ofSuite();

/** Marks the heading: one that is drawn again would not have the mark. */
const mark = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const heading = document.querySelector<HTMLElement>('h1');
    if (heading === null) throw new Error('the screen has no heading');
    heading.dataset['mark'] = 'kept';
  });

const isKept = (page: Page): Promise<boolean> => page.locator('h1[data-mark=kept]').isVisible();

const connection = (page: Page, text: string): Promise<void> =>
  page.locator('footer [role=status]').filter({ hasText: text }).waitFor();

/** What the outages of a test bring about by themselves. */
const OUTAGE = /ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|status of 401/;

/** Loaded once: every screen is visited in the page as links do it. */
let visitor: Tab;
beforeAll(async () => {
  visitor = await instance.tab('admin');
  visitor.watcher.expect(OUTAGE);
  await visitor.open('/');
});
afterAll(() => visitor[Symbol.asyncDispose]());

it.each(screens)('the screen $name stays as it is while the network is away', async ({ address, shows }) => {
  const { page } = visitor;
  await visitor.follow(address(instance.seeded));
  const text = page.getByText(shows).filter({ visible: true }).first();
  await text.waitFor();
  await mark(page);
  await page.context().setOffline(true);
  await connection(page, 'Connection lost');
  expect([await isKept(page), await text.isVisible()]).toEqual([true, true]);
  await page.context().setOffline(false);
  await connection(page, 'Live');
  expect([await isKept(page), await text.isVisible(), visitor.watcher.take()]).toEqual([true, true, []]);
});

/** The frame asks for the sign-in, whatever the screen: a list, a table, a conversation, an editor and a stream of its own. */
const asked = screens.filter(({ name }) => ['inbox', 'sessions', 'session', 'workflow', 'logs'].includes(name));

it.each(asked)('the screen $name stays as it is while the sign-in has ended', async ({ address, shows }) => {
  await using tab = await instance.tab('admin');
  const { page } = tab;
  tab.watcher.expect(OUTAGE);
  await tab.open(address(instance.seeded));
  const text = page.getByText(shows).filter({ visible: true }).first();
  await text.waitFor();
  await mark(page);
  const expired = JSON.stringify({ code: 'unauthenticated', message: 'the token has expired' });
  await page.route('**/v1/ui/events*', (route) => route.fulfill({ status: 401, body: expired }));
  await page.context().setOffline(true);
  await page.context().setOffline(false);
  const again = page.getByRole('dialog', { name: 'Your sign-in has ended' });
  await again.waitFor();
  expect(await isKept(page)).toBe(true);
  await page.unroute('**/v1/ui/events*');
  await again.getByLabel('Token', { exact: true }).fill(instance.adminToken);
  await again.getByRole('button', { name: 'Sign in' }).click();
  await again.waitFor({ state: 'detached' });
  await connection(page, 'Live');
  expect([await isKept(page), await text.isVisible(), tab.watcher.take()]).toEqual([true, true, []]);
});

it('a page goes on by itself when the server was killed and started again', async () => {
  await using tab = await instance.tab('admin');
  tab.watcher.expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/);
  await tab.open('/ns/shop/resources/Agent');
  await mark(tab.page);
  await instance.server.kill();
  await connection(tab.page, 'Connection lost');
  await instance.server.restart();
  await connection(tab.page, 'Live');
  const api = new RestCaller(instance.url, { authorization: `Bearer ${instance.adminToken}` });
  await api.ok('POST /v1/ns/shop/agents', { name: 'newcomer' });
  await tab.page.getByText('newcomer').first().waitFor();
  expect([await isKept(tab.page), tab.watcher.take()]).toEqual([true, []]);
});
