// @service chromium
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

const DENIED = { error: { code: 7, status: 'PERMISSION_DENIED', message: 'not for you' } };

it('finds what was said from the palette, and opens the session at that message', async () => {
  await using tab = await instance.tab('viewer');
  const { page } = tab;
  await tab.open('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('238 eur');
  const group = page.getByRole('group', { name: 'In conversations' });
  const hit = group.getByRole('option').first();
  await hit.waitFor();
  expect(await hit.locator('mark').allInnerTexts()).toEqual(['238', 'EUR', 'EUR']);
  expect(await tab.accessibilityFaults()).toEqual([]);
  await hit.click();
  await page.waitForURL(/\/ns\/shop\/agents\/support\/sessions\/[0-9a-f-]{36}\?message=[0-9a-f-]{36}$/);
  await page.getByRole('log').getByText('238 EUR').first().waitFor();
});

it('says in its place why conversations could not be searched, and asks again', async () => {
  await using tab = await instance.tab('viewer');
  const { page } = tab;
  let isDenied = true;
  await page.route('**/SearchSessions', (route) =>
    isDenied ? route.fulfill({ status: 403, json: DENIED }) : route.continue(),
  );
  await tab.open('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('238 eur');
  const retry = page.getByRole('dialog').getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  isDenied = false;
  await retry.click();
  await page.getByRole('group', { name: 'In conversations' }).getByRole('option').first().waitFor();
  expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0);
});

it('searches the list of sessions, keeps the words in the address, and says when nothing has them', async () => {
  await using tab = await instance.tab('viewer');
  const { page } = tab;
  await tab.open('/ns/shop/sessions');
  const field = page.getByLabel('Find in messages');
  await field.fill('238 eur');
  const found = page.getByRole('grid', { name: 'Messages found' });
  await found.locator('mark').first().waitFor();
  expect(new URL(page.url()).searchParams.get('find')).toBe('238 eur');
  expect(await tab.accessibilityFaults()).toEqual([]);
  await found.locator('mark').first().click();
  await page.waitForURL(/\?message=/);
  await page.goBack();
  expect(await field.inputValue()).toBe('238 eur');
  await field.fill('zyzzyva');
  await page.getByText('No message has these words').waitFor();
  await field.fill('');
  await page.getByRole('grid', { name: 'Sessions' }).waitFor();
});

it('opens over a narrow window too, where the navigation is hidden', async () => {
  await using tab = await instance.tab('viewer', { isPhone: true });
  const { page } = tab;
  await tab.open('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).fill('238 eur');
  await page.getByRole('group', { name: 'In conversations' }).getByRole('option').first().click();
  await page.getByRole('log').getByText('238 EUR').first().waitFor();
});
