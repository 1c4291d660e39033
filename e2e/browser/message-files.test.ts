// @service chromium
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const HOSTILE = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "taken"</script></svg>';

const DENIED = { error: { code: 7, status: 'PERMISSION_DENIED', message: 'not for you' } };

/** Sends a message with files in the session that is open. */
const send = async (
  page: Page,
  files: readonly { readonly name: string; readonly mimeType: string; readonly buffer: Buffer }[],
): Promise<void> => {
  await page.locator('input[type=file]').setInputFiles([...files]);
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('look');
  await page.keyboard.press('Enter');
};

/** Whether the page can still draw what is at the address. */
const isPicture = (page: Page, address: string): Promise<boolean> =>
  page.evaluate(async (src) => {
    const picture = new Image();
    picture.src = src;
    return picture.decode().then(
      () => true,
      () => false,
    );
  }, address);

it('shows a picture of a message, and hands out what could be run as a download only', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open(`/ns/shop/agents/support/sessions/${instance.seeded.session}`);
  await send(page, [
    { name: 'dot.png', mimeType: 'image/png', buffer: DOT },
    { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(HOSTILE) },
  ]);

  const log = page.getByRole('log');
  const picture = log.getByRole('img', { name: 'dot.png' });
  await picture.waitFor();
  expect(await picture.getAttribute('src')).toMatch(/^blob:/);
  expect(await picture.evaluate((shown: HTMLImageElement) => shown.decode().then(() => shown.naturalWidth))).toBe(1);

  const drawing = log.getByText('drawing.svg').locator('..');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    drawing.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('drawing.svg');
  expect(await log.locator('img').count()).toBe(1);
  expect(await page.title()).not.toBe('taken');
  expect(await tab.accessibilityFaults()).toEqual([]);

  const address = (await picture.getAttribute('src')) ?? '';
  expect(await isPicture(page, address)).toBe(true);
  await tab.follow('/ns/shop/sessions');
  expect(await isPicture(page, address)).toBe(false);
});

it('says in its place why a picture did not come, and asks once more', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  let asked = 0;
  await page.route('**/parts/*/content', (route) => {
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 403, json: DENIED }) : route.continue();
  });
  await tab.open(`/ns/shop/agents/support/sessions/${instance.seeded.waitingSession}`);
  await send(page, [{ name: 'once.png', mimeType: 'image/png', buffer: DOT }]);

  await page.getByRole('log').getByText('not for you').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('log').getByRole('img', { name: 'once.png' }).waitFor();
  expect(asked).toBe(2);
});

it('is marked as Sessions in the navigation, and leads from a message to its trail', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open(`/ns/shop/agents/support/sessions/${instance.seeded.session}`);
  expect(await page.locator('nav a[aria-current=page]').allInnerTexts()).toEqual(['Sessions']);
  await page.getByRole('log').getByRole('link', { name: 'Trail' }).first().click();
  await page.waitForURL(/\/trail\?ns=shop&id=/);
});
