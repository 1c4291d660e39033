/** One line of WatchResources as JSON. */
export interface ChangeLine {
  readonly resourceVersion: string;
  readonly changeType: string;
  readonly name: string;
  readonly changedSections: readonly string[];
  readonly resource?: { readonly spec?: { readonly agent?: { readonly systemPrompt: string } } };
}

interface WatchQuery {
  readonly kinds: string | readonly string[];
  readonly resourceVersion?: string;
}

/** A watch of namespace `default` over HTTP, read line by line. */
export class WatchReader {
  /** Everything read so far, bookmarks left out. */
  readonly lines: ChangeLine[] = [];
  readonly #abort: AbortController;
  readonly #read: AsyncGenerator<ChangeLine>;

  private constructor(body: ReadableStream<Uint8Array>, abort: AbortController) {
    this.#abort = abort;
    this.#read = linesOf(body.values());
  }

  /** Resolves when the subscription stands. */
  static async open(base: string, query: WatchQuery): Promise<WatchReader> {
    const parameters = new URLSearchParams([query.kinds].flat().map((kind) => ['kinds', kind]));
    if (query.resourceVersion !== undefined) parameters.set('resourceVersion', query.resourceVersion);
    const abort = new AbortController();
    const answer = await fetch(`${base}/v1/ns/default/resources:watch?${parameters}`, { signal: abort.signal });
    if (answer.status !== 200 || answer.body === null) throw new Error(`${answer.status} ${await answer.text()}`);
    return new WatchReader(answer.body, abort);
  }

  /** Reads until a line fits; the changes read meanwhile, with the bookmark that fitted. */
  async until(fits: (line: ChangeLine) => boolean): Promise<readonly ChangeLine[]> {
    const read: ChangeLine[] = [];
    for (;;) {
      const { done, value } = await this.#read.next();
      if (done === true) throw new Error('the watch ended');
      const isBookmark = value.changeType.endsWith('BOOKMARK');
      if (!isBookmark) this.lines.push(value);
      const isLast = fits(value);
      if (!isBookmark || isLast) read.push(value);
      if (isLast) return read;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<ChangeLine> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as ChangeLine;
  }
}
