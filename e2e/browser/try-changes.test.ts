// @service chromium
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ShopInstance, type Tab } from './harness/index.ts';

const instance = ShopInstance.ofSuite();
const DIFFERS = 'This session differs from its agent:';
const session = () => `/ns/shop/agents/support/sessions/${instance.seeded.session}`;

/** Opens the menu of the first message that a person wrote. */
const openMenu = async (page: Page): Promise<void> => {
  await page.getByRole('log').getByRole('button', { name: 'Actions for this message' }).first().click();
};

/** Asks the first message once more, as another text, of another model with another temperature and prompt. */
const tryChanges = async (tab: Tab): Promise<void> => {
  const { page } = tab;
  await tab.open(session());
  await openMenu(page);
  await page.getByRole('menuitem', { name: 'Try with changes' }).click();
  const form = page.getByRole('form', { name: 'Try with changes' });
  const ask = form.getByRole('button', { name: 'Try in a fork' });
  await form.getByRole('textbox', { name: 'System prompt' }).waitFor();
  expect(await ask.isDisabled()).toBe(true);
  expect(await tab.accessibilityFaults()).toEqual([]);
  await form.getByRole('textbox', { name: 'Edit and resend' }).fill('!prompt');
  await form.getByRole('textbox', { name: 'Model' }).fill('demo/other');
  await form.getByRole('textbox', { name: 'Temperature' }).fill('0.5');
  await form.getByRole('textbox', { name: 'System prompt' }).fill('You are a parrot.');
  await ask.click();
};

/** Waits until the fork says in what it differs, and answers with its own prompt. */
const seeFork = async (within: Page | Locator): Promise<void> => {
  const banner = within.getByRole('complementary', { name: DIFFERS });
  await banner.getByText('demo/other').waitFor();
  await banner.getByText('0.5').waitFor();
  await banner.getByText('System prompt').click();
  await banner.getByText('You are a parrot.').waitFor();
  await within.getByRole('log').getByText('You are a parrot.').first().waitFor();
};

it('shows a message that is asked with another model, temperature and prompt next to the conversation', async () => {
  await using tab = await instance.tab('admin');
  const { page } = tab;
  await tryChanges(tab);
  const panel = page.getByRole('complementary', { name: 'Details' });
  const main = page.getByRole('main');
  await seeFork(panel);
  await main.getByRole('log').getByText('238 EUR').first().waitFor();
  expect(tab.address).toMatch(new RegExp(`^${session()}\\?panel=session`));
  expect([await main.getByText(DIFFERS).count(), await main.getByRole('form').count()]).toEqual([0, 0]);
  expect(await tab.accessibilityFaults()).toEqual([]);

  const field = panel.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill('!say Only the fork hears this.');
  await field.press('Enter');
  await panel.getByRole('log').getByText('Only the fork hears this.', { exact: true }).waitFor();
  expect(await main.getByText('Only the fork hears this.').count()).toBe(0);

  await panel.getByRole('link', { name: 'Open on its own' }).click();
  await panel.waitFor({ state: 'detached' });
  await seeFork(main);
  await main.getByRole('link', { name: 'Session that it was forked from' }).click();
  await page.waitForURL((url) => url.pathname.endsWith(instance.seeded.session));
  expect(await page.getByText(DIFFERS).count()).toBe(0);
});

it('shows it instead of the conversation on a phone', async () => {
  await using tab = await instance.tab('admin', { isPhone: true });
  const { page } = tab;
  await tryChanges(tab);
  await page.waitForURL((url) => !url.pathname.endsWith(instance.seeded.session));
  await seeFork(page.getByRole('main'));
  expect(await page.getByRole('complementary', { name: 'Details' }).count()).toBe(0);
  expect([await tab.isTooWide(), await tab.accessibilityFaults()]).toEqual([false, []]);
});

it('is not offered to who may only talk', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open(session());
  await openMenu(page);
  await page.getByRole('menuitem', { name: 'Fork from here' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Try with changes' }).count()).toBe(0);
});
