import type { Page, Request } from 'playwright-core';

/** Streams that stay open: a page that reads one is at rest all the same. */
const STREAM = /event-stream|ndjson|connect\+/;

/** Counts the requests of a page. */
export class Traffic {
  readonly #open = new Set<Request>();
  #count = 0;
  /** There while somebody waits for the rest. */
  #rest: PromiseWithResolvers<void> | undefined;

  constructor(page: Page) {
    page.on('request', (request) => {
      this.#count += 1;
      this.#open.add(request);
    });
    page.on('response', (response) => {
      if (STREAM.test(response.headers()['content-type'] ?? '')) this.#end(response.request());
    });
    page.on('requestfinished', (request) => this.#end(request));
    page.on('requestfailed', (request) => this.#end(request));
  }

  /** Requests since the beginning. */
  get count(): number {
    return this.#count;
  }

  /** True while an answer is on its way. */
  get isBusy(): boolean {
    return this.#open.size > 0;
  }

  /** Waits until no answer is on its way, at most so many milliseconds; then fails and names what was asked. */
  async rest(withinMs: number): Promise<void> {
    if (!this.isBusy) return;
    const rest = this.#rest ?? Promise.withResolvers<void>();
    this.#rest = rest;
    const timer = setTimeout(() => {
      const asked = [...this.#open].map((request) => request.url());
      rest.reject(new Error(`not answered within ${withinMs} ms: ${asked.join(', ')}`));
    }, withinMs);
    try {
      await rest.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #end(request: Request): void {
    this.#open.delete(request);
    if (this.isBusy) return;
    this.#rest?.resolve();
    this.#rest = undefined;
  }
}
