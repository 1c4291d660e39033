import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { accessibilityFaults } from '../harness/index.ts';

/** A browser window on a page with the chat, as a person uses it; it notes every request and every complaint of the page. */
export class ChatWindow implements AsyncDisposable {
  readonly page: Page;
  /** Addresses that the page asked for, in order. */
  readonly requests: string[] = [];
  /** What the console says in red, broken rules of the Content-Security-Policy included, and errors that nothing caught. */
  readonly complaints: string[] = [];
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    page.on('request', (request) => this.requests.push(request.url()));
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  static async open(browser: Browser, address: string, colorScheme: 'light' | 'dark' = 'light'): Promise<ChatWindow> {
    const context = await browser.newContext({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: 900, height: 700 },
    });
    const window = new ChatWindow(context, await context.newPage());
    await window.page.goto(address);
    return window;
  }

  get field(): Locator {
    return this.page.getByRole('textbox', { name: 'Message' });
  }

  get log(): Locator {
    return this.page.getByRole('log');
  }

  /** The newest message of the agent, without the words that only readers of the screen hear. */
  get newest(): Locator {
    return this.page.locator('.message.assistant').last();
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  async say(text: string): Promise<void> {
    await this.field.fill(text);
    await this.field.press('Enter');
  }

  /** Waits until no turn is running. */
  async settled(): Promise<void> {
    await this.page.locator('.log[aria-busy=false]').waitFor();
    await this.page.getByText('Sending', { exact: true }).waitFor({ state: 'detached' });
  }

  /** Texts that the conversation shows of people and the agent. */
  async texts(): Promise<readonly string[]> {
    return this.page.locator('.message > .text').allInnerTexts();
  }

  /** Where the links of the agent lead. */
  async links(): Promise<readonly string[]> {
    return this.page
      .locator('.message.assistant a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  }

  /** Widths of the pictures as they are, 0 while they are being loaded. */
  async pictures(): Promise<readonly number[]> {
    return this.page
      .locator('.picture')
      .evaluateAll((pictures) =>
        pictures.map((picture) => (picture instanceof HTMLImageElement ? picture.naturalWidth : 0)),
      );
  }

  /** What the rules of accessibility find. */
  async faults(): Promise<readonly string[]> {
    return accessibilityFaults(this.page);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}
