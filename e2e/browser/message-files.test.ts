// @service chromium
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const HOSTILE = '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title = "taken"</script></svg>';

it('shows a picture of a message, and hands out what could be run as a download only', async () => {
  await using tab = await instance.tab('operator');
  const { page } = tab;
  await tab.open(`/ns/shop/agents/support/sessions/${instance.seeded.session}`);
  await page.locator('input[type=file]').setInputFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: DOT },
    { name: 'drawing.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(HOSTILE) },
  ]);
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('look');
  await page.keyboard.press('Enter');

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
});
