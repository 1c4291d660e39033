import type { CancelTimer, Clock } from '../../../base/index.ts';
import type { HttpExchange, HttpStream } from '../../../operations/index.ts';
import { EVENT, type SessionEvent } from '../../../runtime/contract.ts';
import type { Sink } from '../../../streams/index.ts';
import type { ChatChunks, UiChunk } from './chat-chunks.ts';

/**
 * A turn that still waits for a permission answer after this long ends the response: AI SDK clients send answers only when
 * no response is open. Answers given elsewhere before that continue in the same response.
 */
const PAUSE_MS = 1_000;
const KEEP_ALIVE = ': keep-alive\n\n';

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

const CHAT_HEADERS = { ...SSE_HEADERS, 'x-vercel-ai-ui-message-stream': 'v1' };

const line = (chunk: UiChunk): string => `data: ${JSON.stringify(chunk)}\n\n`;

/** Writes the chunks of one turn to one browser; headers go out once `begin` was called. */
export class ChatOutlet implements Sink<SessionEvent> {
  readonly #exchange: HttpExchange;
  readonly #chunks: ChatChunks;
  readonly #opened = Promise.withResolvers<void>();
  /** Events that came before the headers might go out. */
  #early: SessionEvent[] | undefined = [];
  #stream: HttpStream | undefined;
  #drained: (() => void) | undefined;

  readonly #clock: Clock;
  readonly #leave: () => void;
  #pause: CancelTimer | undefined;

  /** `leave` ends following the turn. */
  constructor(deps: {
    readonly exchange: HttpExchange;
    readonly chunks: ChatChunks;
    readonly clock: Clock;
    readonly leave: () => void;
  }) {
    this.#exchange = deps.exchange;
    this.#chunks = deps.chunks;
    this.#clock = deps.clock;
    this.#leave = deps.leave;
  }

  /** Settles when the subscription is open. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  get hasBegun(): boolean {
    return this.#stream !== undefined;
  }

  open(): void {
    this.#opened.resolve();
  }

  /** Sends the headers and whatever came meanwhile. */
  begin(): void {
    if (this.#stream !== undefined) return;
    this.#stream = this.#exchange.stream(200, CHAT_HEADERS, KEEP_ALIVE);
    if (this.#drained !== undefined) this.#stream.onDrained(this.#drained);
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.#write(this.#stream, event);
  }

  send(event: SessionEvent): boolean {
    if (this.#stream !== undefined) return this.#write(this.#stream, event);
    this.#early?.push(event);
    return true;
  }

  onDrained(notify: () => void): void {
    this.#drained = notify;
    this.#stream?.onDrained(notify);
  }

  /** The stream broke off: an error chunk tells the client, which may attach again. */
  fail(text: string): void {
    this.#stream?.write(line({ type: 'error', errorText: text }));
  }

  /** Last line of every stream. */
  end(): void {
    this.#pause?.();
    this.#stream?.write('data: [DONE]\n\n');
    this.#stream?.end();
  }

  #write(stream: HttpStream, event: SessionEvent): boolean {
    const text = this.#chunks.next(event).map(line).join('');
    this.#pause?.();
    this.#pause = this.#chunks.waitsForAnswer ? this.#clock.after(PAUSE_MS, () => this.#endWaiting(stream)) : undefined;
    const isWritten = text === '' || stream.write(text);
    return event.kind === EVENT.DONE || event.kind === EVENT.ERROR ? true : isWritten;
  }

  #endWaiting(stream: HttpStream): void {
    stream.write(this.#chunks.pause().map(line).join(''));
    this.#leave();
  }
}
