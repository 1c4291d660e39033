import type { Page } from 'playwright-core';

/** What is wrong with a page that no one sees on it. */
interface Problem {
  readonly kind: 'console' | 'error' | 'foreign request' | 'server error';
  readonly text: string;
}

/**
 * Notes what must never happen while a page is used: errors of its code, violations of its Content-Security-Policy (which browsers
 * report as errors), requests to other servers and answers of 500 and above.
 */
export class Watcher {
  readonly #problems: Problem[] = [];
  readonly #expected: RegExp[] = [];

  constructor(page: Page, origin: string) {
    const note = (kind: Problem['kind'], text: string): void => void this.#problems.push({ kind, text });
    page.on('console', (message) => {
      if (message.type() === 'error') note('console', `${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => note('error', error.stack ?? error.message));
    page.on('request', (request) => {
      const { origin: asked, protocol } = new URL(request.url());
      if (asked !== origin && !['data:', 'blob:'].includes(protocol)) note('foreign request', request.url());
    });
    page.on('response', (response) => {
      if (response.status() >= 500) note('server error', `${response.status()} ${response.url()}`);
    });
  }

  /** From now on this is not a problem: what the test itself brings about, such as an answer of 401. */
  expect(problem: RegExp): void {
    this.#expected.push(problem);
  }

  /** Everything so far but what was expected, one readable text each; the next call answers only what came later. */
  take(): readonly string[] {
    const found = this.#problems.splice(0).map(({ kind, text }) => `${kind}: ${text}`);
    return found.filter((text) => !this.#expected.some((pattern) => pattern.test(text)));
  }
}
