// @service chromium
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ShopInstance, type Tab } from './harness/index.ts';

const instance = ShopInstance.ofSuite();

/** More places than any screen has before what a person looks for. */
const MOST_TABS = 120;

/** A person who has only a keyboard; at each step it must be seen where they are. */
class Typist {
  readonly #tab: Tab;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  get page(): Page {
    return this.#tab.page;
  }

  /** Presses keys one after the other, and looks where the focus is then. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
    await this.look();
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
    await this.look();
  }

  /** Goes on with Tab until this has the focus. */
  async tabTo(place: Locator): Promise<void> {
    await place.waitFor();
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      if (await place.evaluate((element) => element.matches(':focus'))) return this.look();
      await this.page.keyboard.press('Tab');
      // Behind the last place of the page is the window of the browser, and then its first.
      expect(await this.page.evaluate(describeFocus)).toMatch(/^seen: |^nowhere$/);
    }
    throw new Error(`Tab does not come to ${place}`);
  }

  /** Expects that something has the focus and shows it. */
  async look(): Promise<void> {
    await this.#tab.settled();
    await expect.poll(() => this.page.evaluate(describeFocus)).toMatch(/^seen: /);
  }
}

/** Runs in the page. */
const describeFocus = (): string => {
  const { activeElement: outer, body } = document;
  if (outer === null || outer === body) return 'nowhere';
  // An editor lies in a tree of its own, and its box in the page shows the focus.
  const inner = outer.shadowRoot?.activeElement ?? outer;
  const rows = outer.querySelectorAll('[role=row]');
  const isSeen = [outer, ...rows].some((place) => getComputedStyle(place).outlineStyle !== 'none');
  const isTyping = inner.matches('input, textarea');
  const name = `${outer.tagName}.${outer.className} ${outer.ariaLabel ?? outer.textContent.slice(0, 40)}`;
  return inner.matches(':focus-visible') && (isSeen || isTyping) ? `seen: ${name}` : `unseen: ${name}`;
};

const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true });

it('the whole console can be used by keyboard alone, and always shows where the focus is', async () => {
  await using tab = await instance.tab('guest');
  tab.watcher.expect(/status of 401/);
  const { page } = tab;
  const typist = new Typist(tab);
  await tab.open('/');
  await typist.type(instance.adminToken);
  await typist.press('Enter');
  await heading(page, 'Home').waitFor();
  await typist.look();

  // The palette leads into the shop.
  await typist.press('Control+k');
  await typist.type('shop/clerk');
  await page.getByRole('option', { name: /shop\/clerk/ }).waitFor();
  await typist.press('Enter');
  await heading(page, 'clerk').waitFor();
  await typist.look();

  // Every section.
  const links = page.getByRole('navigation', { name: 'Navigation' }).getByRole('link');
  const count = await links.count();
  expect(count).toBe(26);
  for (let at = 0; at < count; at += 1) {
    const link = links.nth(at);
    await typist.tabTo(link);
    await typist.press('Enter');
    await expect.poll(() => link.getAttribute('aria-current')).toBe('page');
    await page.locator('main h1').waitFor();
  }
  await typist.press('g', 'a');
  await heading(page, 'Agents').waitFor();

  // A row of a list, its details, and its text, which is changed and saved.
  await typist.press('g', 'r');
  await typist.tabTo(page.getByRole('grid'));
  await page
    .getByRole('row', { name: /bookworm|clerk/ })
    .first()
    .waitFor();
  await typist.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Details' });
  await panel.getByRole('heading', { level: 2 }).first().waitFor();
  await typist.tabTo(panel.getByRole('button', { name: 'Close' }));
  await typist.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await typist.look();
  await typist.press('Enter');
  await typist.press('e');
  const editor = page.locator('.cm-content');
  await typist.tabTo(editor);
  await typist.press('ControlOrMeta+End');
  await typist.type('\n# by keyboard');
  await typist.press('ControlOrMeta+s');
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  await typist.press('ControlOrMeta+s');
  await page.getByText(/^Saved: /).waitFor();
  await typist.look();

  // What waits for an answer.
  await typist.press('g', 'i');
  await heading(page, 'Inbox').waitFor();
  await typist.press('j');
  await page.getByText('Send two chairs to Norway').first().waitFor();
  await typist.press('a');
  await page.getByText('Answered').first().waitFor();
  await typist.look();

  // A conversation.
  await typist.press('g', 's');
  await heading(page, 'Sessions').waitFor();
  await typist.tabTo(page.getByRole('grid'));
  await typist.press('Enter');
  await typist.press('c');
  await typist.type('Said by keyboard');
  await typist.press('Enter');
  await page.getByRole('log').getByText('Said by keyboard').first().waitFor();
  await typist.look();
  expect(tab.watcher.take()).toEqual([]);
});
