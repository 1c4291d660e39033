// @service chromium
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();
const session = () => `/ns/shop/agents/support/sessions/${instance.seeded.session}`;

/** Opens the menu of the first message that a person wrote. */
const openMenu = async (page: Page): Promise<void> => {
  await page.getByRole('log').getByRole('button', { name: 'Actions for this message' }).first().click();
};

it('asks a message once more with another model, temperature and prompt, and says so in the fork', async () => {
  await using tab = await instance.tab('admin');
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

  await page.waitForURL((url) => !url.pathname.endsWith(instance.seeded.session));
  const banner = page.getByRole('complementary', { name: 'This session does not run as its agent does:' });
  await banner.getByText('demo/other').waitFor();
  await banner.getByText('0.5').waitFor();
  await banner.getByText('System prompt').click();
  await banner.getByText('You are a parrot.').waitFor();
  await page.getByRole('log').getByText('You are a parrot.').first().waitFor();
  expect(await tab.accessibilityFaults()).toEqual([]);

  await banner.getByRole('link', { name: 'The session that it was forked from' }).click();
  await page.waitForURL((url) => url.pathname.endsWith(instance.seeded.session));
  expect(await page.getByText('This session does not run as its agent does:').count()).toBe(0);
});

it('is not offered to who may only talk', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open(session());
  await openMenu(page);
  await page.getByRole('menuitem', { name: 'Fork from here' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Try with changes' }).count()).toBe(0);
});
