import { answerLines } from '../testing/index.ts';

/** One line of WatchResources as JSON. */
export interface ChangeLine {
  readonly resourceVersion: string;
  readonly changeType: string;
  readonly name: string;
  readonly changedSections: readonly string[];
  readonly resource?: {
    readonly spec?: { readonly agent?: { readonly systemPrompt: string } };
    readonly status?: { readonly deployment?: Readonly<Record<string, unknown>> };
  };
}

interface WatchQuery {
  /** `default` when absent. */
  readonly ns?: string;
  readonly kinds: string | readonly string[];
  readonly resourceVersion?: string;
}

/** A watch of one namespace over HTTP, read line by line. */
export class WatchReader {
  /** Everything read so far, bookmarks left out. */
  readonly lines: ChangeLine[] = [];
  readonly #abort: AbortController;
  readonly #read: AsyncGenerator<string>;

  private constructor(body: ReadableStream<Uint8Array>, abort: AbortController) {
    this.#abort = abort;
    this.#read = answerLines(body.values());
  }

  /** Resolves when the subscription is open. */
  static async open(base: string, query: WatchQuery): Promise<WatchReader> {
    const parameters = new URLSearchParams([query.kinds].flat().map((kind) => ['kinds', kind]));
    if (query.resourceVersion !== undefined) parameters.set('resourceVersion', query.resourceVersion);
    const abort = new AbortController();
    const answer = await fetch(`${base}/v1/ns/${query.ns ?? 'default'}/resources:watch?${parameters}`, {
      signal: abort.signal,
    });
    if (answer.status !== 200 || answer.body === null) throw new Error(`${answer.status} ${await answer.text()}`);
    return new WatchReader(answer.body, abort);
  }

  /** Reads until a line fits; the changes read meanwhile, with the bookmark that fitted. */
  async until(fits: (line: ChangeLine) => boolean): Promise<readonly ChangeLine[]> {
    const read: ChangeLine[] = [];
    for (;;) {
      const { done, value } = await this.#read.next();
      if (done === true) throw new Error('the watch ended');
      const line = JSON.parse(value) as ChangeLine;
      const isBookmark = line.changeType.endsWith('BOOKMARK');
      if (!isBookmark) this.lines.push(line);
      const isLast = fits(line);
      if (!isBookmark || isLast) read.push(line);
      if (isLast) return read;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}
