// @service chromium
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

/** Runs in the page before its own code: a browser that takes copies here or there, and keeps what it took. */
const takeCopies = ({ clipboard, field }: { readonly clipboard: boolean; readonly field: boolean }): void => {
  const taken: string[] = [];
  Object.assign(globalThis, { taken });
  const writeText = async (text: string): Promise<void> => {
    if (!clipboard) throw new DOMException('Write permission denied.', 'NotAllowedError');
    taken.push(`clipboard: ${text}`);
  };
  Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
  document.execCommand = () => {
    if (field) taken.push(`field: ${(document.activeElement as HTMLTextAreaElement).value}`);
    return field;
  };
};

it.each([
  {
    how: 'by the clipboard',
    browser: { clipboard: true, field: true },
    taken: ['clipboard'],
    says: 'Copied: code',
  },
  {
    how: 'from a field where the clipboard is refused',
    browser: { clipboard: false, field: true },
    taken: ['field'],
    says: 'Copied: code',
  },
  {
    how: 'not at all where both are refused, and says so',
    browser: { clipboard: false, field: false },
    taken: [],
    says: 'Not copied, because this browser does not let pages copy: code',
  },
])('copies the code of a message $how', async ({ browser, taken, says }) => {
  await using tab = await instance.tab('viewer');
  const { page } = tab;
  await page.addInitScript(takeCopies, browser);
  await tab.open(`/ns/shop/agents/support/sessions/${instance.seeded.session}`);
  const button = page.getByRole('button', { name: 'Copy the code' }).first();
  await button.click();
  await page.getByRole('status').getByText(says, { exact: true }).waitFor();
  const code = (await button.locator('xpath=ancestor::figure//pre').textContent()) ?? '';
  expect(code).not.toBe('');
  const copies = await page.evaluate(() => (globalThis as unknown as { readonly taken: readonly string[] }).taken);
  expect(copies.map((copy) => copy.trim())).toEqual(taken.map((way) => `${way}: ${code.trim()}`));
});
