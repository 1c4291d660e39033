import type { Page } from 'playwright-core';
import { accessibilityFaults, type Rules } from './accessibility.ts';
import { Traffic } from './traffic.ts';
import { Watcher } from './watcher.ts';

/** Within this time a page has to come to rest; less than a test may take. */
const REST_MS = 50_000;

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** How a person looks at the console. */
export interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly isPhone?: boolean;
}

/** One page of the console, signed in as somebody. Everything it does is watched. */
export class Tab implements AsyncDisposable {
  readonly page: Page;
  readonly watcher: Watcher;
  readonly traffic: Traffic;
  readonly #origin: string;
  #lastSeen = 'The page was not closed.';

  constructor(page: Page, origin: string) {
    this.page = page;
    this.#origin = origin;
    this.watcher = new Watcher(page, origin);
    this.traffic = new Traffic(page);
  }

  /** Address below the origin, as the person sees it. */
  get address(): string {
    return this.page.url().slice(this.#origin.length);
  }

  /** What the page showed when it was closed: printed when its test fails. */
  get lastSeen(): string {
    return this.#lastSeen;
  }

  /** Changes theme and size; light and a desktop unless it says otherwise. */
  async look({ colorScheme = 'light', isPhone = false }: Look): Promise<void> {
    await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const size = isPhone ? PHONE : DESKTOP;
    // A page that gets its own size once more lays everything out again.
    if (this.page.viewportSize()?.width !== size.width) await this.page.setViewportSize(size);
    await this.settled();
  }

  /** Loads an address as a person types it, and waits until the screen is there. */
  async open(address: string): Promise<void> {
    await this.page.goto(this.#origin + address);
    await this.settled();
  }

  /** Goes to addresses within the loaded page, one after the other, as links do. */
  async follow(...addresses: readonly string[]): Promise<void> {
    await this.page.evaluate(async (all) => {
      for (const address of all) {
        history.pushState(null, '', address);
        dispatchEvent(new PopStateEvent('popstate'));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }
    }, addresses);
    await this.settled();
  }

  /** Waits until nothing is loading or moving: no request but open streams, and no part of the page that says it is busy. */
  async settled(): Promise<void> {
    const deadline = performance.now() + REST_MS;
    let isCalm = false;
    while (!isCalm) {
      await this.traffic.rest(deadline - performance.now());
      const { count } = this.traffic;
      const isStill = await this.page.evaluate(becomesStill, deadline - performance.now());
      // The page may have asked for more since.
      isCalm = isStill && !this.traffic.isBusy && this.traffic.count === count;
      if (!isCalm && performance.now() > deadline) throw new Error(`not at rest within ${REST_MS} ms: ${this.address}`);
    }
  }

  /** Replaces what the text editor shows, by pasting. */
  async writeText(text: string): Promise<void> {
    const editor = this.page.locator('.cm-content:visible');
    await editor.click();
    await this.page.keyboard.press('ControlOrMeta+a');
    await editor.evaluate((element, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  }

  /** True when the page is wider than the window, so that a person has to move it to read a line. */
  isTooWide(): Promise<boolean> {
    return this.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  }

  /** What the rules of accessibility find on the page as it is, one readable text each. */
  accessibilityFaults(rules: Rules = 'all'): Promise<readonly string[]> {
    return accessibilityFaults(this.page, rules);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.page.isClosed()) this.#lastSeen = `${this.address}\n${await this.page.ariaSnapshot()}`;
    await this.page.close();
  }
}

/** Runs in the page. True once nothing is under way at two moments in a row, two frames apart; false after so many milliseconds. */
const becomesStill = async (withinMs: number): Promise<boolean> => {
  const isLoading = (): boolean => {
    const busy = document.querySelectorAll('[aria-busy=true], [role=status]');
    return [...busy].some((part) => part.ariaBusy === 'true' || /^(Loading|Connecting)/.test(part.textContent));
  };
  const isMoving = (): boolean =>
    document
      .getAnimations()
      .some(({ playState, effect }) => playState === 'running' && effect?.getTiming().iterations === 1);
  const end = performance.now() + withinMs;
  for (let calm = 0; calm < 2; ) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    calm = isLoading() || isMoving() ? 0 : calm + 1;
  }
  return true;
};
