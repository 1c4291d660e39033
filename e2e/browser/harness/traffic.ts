import type { Page, Request } from 'playwright-core';

/** Streams that stay open: a page that reads one is at rest all the same. */
const STREAM = /event-stream|ndjson|connect\+/;

/** Counts the requests of a page. */
export class Traffic {
  readonly #open = new Set<Request>();
  #count = 0;

  constructor(page: Page) {
    page.on('request', (request) => {
      this.#count += 1;
      this.#open.add(request);
    });
    page.on('response', (response) => {
      if (STREAM.test(response.headers()['content-type'] ?? '')) this.#open.delete(response.request());
    });
    page.on('requestfinished', (request) => this.#open.delete(request));
    page.on('requestfailed', (request) => this.#open.delete(request));
  }

  /** Requests since the beginning. */
  get count(): number {
    return this.#count;
  }

  /** True while an answer is on its way. */
  get isBusy(): boolean {
    return this.#open.size > 0;
  }
}
