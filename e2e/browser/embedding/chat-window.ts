import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

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

  /** Waits until no turn is going on. */
  async settled(): Promise<void> {
    await this.page.locator('.log[aria-busy=false]').waitFor();
    await this.page.getByText('Sending', { exact: true }).waitFor({ state: 'detached' });
  }

  /** Texts that the conversation shows of people and the agent. */
  async texts(): Promise<readonly string[]> {
    return this.page.locator('.message > .text').allInnerTexts();
  }

  /** What the rules of accessibility find. */
  async faults(): Promise<readonly string[]> {
    if (!(await this.page.evaluate("'axe' in globalThis"))) await this.page.evaluate(axe);
    const found = await this.page.evaluate<readonly AxeViolation[]>('axe.run().then(({ violations }) => violations)');
    return found.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}
