import type { Page } from 'playwright-core';
import { until } from '../../server-process/index.ts';
import { accessibilityFaults, type Rules } from './accessibility.ts';
import { Traffic } from './traffic.ts';
import { Watcher } from './watcher.ts';

/** At so many moments in a row, two frames apart, nothing may be under way. */
const CALM_MOMENTS = 2;

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
    await this.page.setViewportSize(isPhone ? PHONE : DESKTOP);
    await this.settled();
  }

  /** Loads an address as a person types it, and waits until the screen is there. */
  async open(address: string): Promise<void> {
    await this.page.goto(this.#origin + address);
    await this.settled();
  }

  /** Goes to addresses within the loaded page, one after the other, as links do. */
  async follow(...addresses: readonly string[]): Promise<void> {
    for (const address of addresses)
      await this.page.evaluate(async (to) => {
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      }, address);
    await this.settled();
  }

  /** Waits until nothing is loading or moving: no request but open streams, and no part of the page that says it is busy. */
  async settled(): Promise<void> {
    let calm = 0;
    await until(`${this.address} is at rest`, async () => {
      const isBusy = this.traffic.isBusy || (await this.page.evaluate(isLoading));
      calm = isBusy ? 0 : calm + 1;
      return calm === CALM_MOMENTS ? true : undefined;
    });
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

/** Runs in the page, after two frames. */
const isLoading = (): Promise<boolean> =>
  new Promise((resolve) => {
    const look = (): void => {
      const busy = document.querySelectorAll('[aria-busy=true], [role=status]');
      const isBusy = [...busy].some(
        (part) => part.ariaBusy === 'true' || /^(Loading|Connecting)/.test(part.textContent),
      );
      const isMoving = document
        .getAnimations()
        .some(({ playState, effect }) => playState === 'running' && effect?.getTiming().iterations === 1);
      resolve(isBusy || isMoving);
    };
    requestAnimationFrame(() => requestAnimationFrame(look));
  });
