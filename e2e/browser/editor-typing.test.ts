// @service chromium
import { expect, it } from 'vitest';
import { ShopInstance } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

const TYPED = '# every letter that a person types stays where it was typed, however busy the page is';

/** Runs in the page: types into what has the focus, a letter in each task, so that letters come between a drawing and what follows it. */
const typeByTask = async (text: string): Promise<void> => {
  const { port1, port2 } = new MessageChannel();
  for (const letter of text) {
    document.execCommand('insertText', false, letter);
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage('');
    });
  }
};

it('keeps every letter of a text that is typed faster than the page draws', async () => {
  await using tab = await instance.tab('admin');
  const { page } = tab;
  await tab.open('/ns/shop/resources/Agent/clerk?view=yaml');
  const editor = page.locator('.cm-content');
  await editor.focus();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.press('Enter');
  await page.evaluate(typeByTask, TYPED);
  await tab.settled();
  expect(await editor.locator('.cm-line').last().textContent()).toBe(TYPED);
});
