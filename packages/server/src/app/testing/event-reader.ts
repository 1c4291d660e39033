import { answerLines } from './answer-lines.ts';
import type { RestClient } from './rest-client.ts';

/** One event of a session stream. */
export interface PartEvent {
  readonly sessionId: string;
  readonly kind: string;
  readonly part?: {
    readonly id: string;
    readonly partType: string;
    readonly content: string;
    readonly name: string;
    readonly payloadJson: string;
  };
  readonly messageId: string;
  readonly turnId: string;
  readonly sequence: string;
  readonly attempt: number;
  readonly cursor: string;
  readonly reason: string;
  /** Instead of all else: the fault that ended the stream. */
  readonly error?: { readonly status: string; readonly details: readonly unknown[] };
}

const short = (name: string): string => name.replace(/^SESSION_MESSAGE_PART_(EVENT_KIND_|TYPE_)/, '');

/** `DELTA(TEXT)`, `DONE`, ...; neighbours of one shape are listed once, because how text is cut is not promised. */
export const shapeOf = (events: readonly PartEvent[]): string[] => {
  const shapes = events.map((event) => {
    const kind = short(event.kind);
    return kind === 'DELTA' ? short(event.part?.partType ?? '') : [kind, event.reason].filter((part) => part).join(' ');
  });
  return shapes.filter((shape, index) => shape !== 'TEXT' || shapes[index - 1] !== 'TEXT');
};

/** Reads a session stream line by line; holds everything it saw. */
export class EventReader {
  readonly events: PartEvent[] = [];
  readonly #lines: AsyncGenerator<string>;
  readonly #abort: AbortController;

  private constructor(body: ReadableStream<Uint8Array>, abort: AbortController) {
    // Locked at once: fetch cancels the body of an answer that no one reads yet when it collects garbage.
    this.#lines = answerLines(body.values());
    this.#abort = abort;
  }

  /** Resolves when the headers are there: every later event reaches this reader. */
  static async open(rest: RestClient, path: string, init: RequestInit = {}): Promise<EventReader> {
    const abort = new AbortController();
    const answer = await rest.fetch(path, { ...init, signal: abort.signal });
    if (answer.status !== 200 || answer.body === null)
      throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return new EventReader(answer.body, abort);
  }

  /** Reads until an event fits, and answers it; rejects when the stream ends before. */
  async until(fits: (event: PartEvent) => boolean): Promise<PartEvent> {
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done === true) throw new Error(`the stream ended before: ${JSON.stringify(this.events)}`);
      const event = JSON.parse(value) as PartEvent;
      this.events.push(event);
      if (fits(event)) return event;
    }
  }

  /** Reads as many ends of turns, DONE or ERROR; answers everything seen so far. */
  async ends(count = 1): Promise<readonly PartEvent[]> {
    for (let seen = 0; seen < count; seen += 1) await this.until((event) => /_(DONE|ERROR)$/.test(event.kind));
    return [...this.events];
  }

  /** Reads to the end of the stream. */
  async rest(): Promise<readonly PartEvent[]> {
    for await (const line of this.#lines) this.events.push(JSON.parse(line) as PartEvent);
    return this.events;
  }

  close(): void {
    this.#abort.abort();
  }
}
