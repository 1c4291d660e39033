import { setTimeout as pause } from 'node:timers/promises';
import type { RestCaller, SessionKey } from './rest-caller.ts';
import type { Part, SessionEvent, StoredMessage } from './shapes.ts';
import { readNdjson } from './stream-lines.ts';

const RETRY_MS = 20;
/** Attempts to reach a server that is being restarted: 20 s. */
const MAX_RETRIES = 1000;

export interface ReaderOptions {
  /**
   * True: it resumes after its last cursor, as a client library does. False: after a break it forgets everything, lists the
   * messages and streams from there, as a page that is loaded again.
   */
  readonly keepsCursor: boolean;
}

/** A client that reads one session until a turn ended and connects again by itself; a RESET makes it forget what it has. */
export class SessionReader {
  readonly events: SessionEvent[] = [];
  /** Faults with which streams ended. */
  readonly faults: unknown[] = [];
  readonly #rest: RestCaller;
  readonly #session: SessionKey;
  readonly #keepsCursor: boolean;
  readonly #closed = new AbortController();
  readonly #ended = Promise.withResolvers<void>();
  readonly #attached = Promise.withResolvers<void>();
  #shown = new Map<string, Part[]>();
  #cursor: string | undefined;
  #hasEnded = false;

  constructor(rest: RestCaller, session: SessionKey, options: ReaderOptions) {
    this.#rest = rest;
    this.#session = session;
    this.#keepsCursor = options.keepsCursor;
  }

  /** Resolves when the first stream is open or the turn has ended; rejects when the server was not reached until the last attempt. */
  async start(): Promise<void> {
    this.#run().then(
      () => {
        this.#attached.resolve();
        this.#ended.resolve();
      },
      (error: unknown) => {
        this.#attached.reject(error as Error);
        this.#ended.reject(error as Error);
      },
    );
    this.#ended.promise.catch(() => undefined);
    await this.#attached.promise;
  }

  /** Resolves when DONE or ERROR was seen, or the reader was closed. */
  async ended(): Promise<void> {
    await this.#ended.promise;
  }

  close(): void {
    this.#closed.abort();
  }

  /** Parts shown of each message. */
  get shown(): ReadonlyMap<string, readonly Part[]> {
    return this.#shown;
  }

  async #run(): Promise<void> {
    for (let retries = 0; retries < MAX_RETRIES && !this.#hasEnded && !this.#closed.signal.aborted; retries += 1) {
      try {
        if (this.#cursor === undefined || !this.#keepsCursor) await this.#load();
        if (!this.#hasEnded) await this.#follow();
      } catch (error) {
        if (!isBrokenConnection(error)) throw error;
        await pause(RETRY_MS);
      }
    }
    if (!this.#hasEnded && !this.#closed.signal.aborted)
      throw new Error(
        `session ${this.#session[1]}: the turn did not end within ${MAX_RETRIES} attempts to read it; is the server up?`,
      );
  }

  async #load(): Promise<void> {
    const page = await this.#rest.messagePage(this.#session);
    this.events.length = 0;
    this.#shown = new Map();
    for (const { message } of page.items) this.#takeStored(message);
    this.#cursor = page.streamCursor;
  }

  #takeStored(message: StoredMessage): void {
    if (message.role !== 'ROLE_ASSISTANT') return;
    this.#shown.set(message.id, [...message.parts]);
    this.#hasEnded = true;
  }

  async #follow(): Promise<void> {
    const query = `?after=${encodeURIComponent(this.#cursor ?? '')}`;
    const answer = await this.#rest.stream(this.#session, query, this.#closed.signal);
    this.#attached.resolve();
    for await (const event of readNdjson<SessionEvent & { readonly error?: unknown }>(answer)) {
      if (event.error !== undefined) this.faults.push(event.error);
      else this.#take(event);
      if (this.#hasEnded) return this.close();
    }
  }

  #take(event: SessionEvent): void {
    this.events.push(event);
    if (event.cursor !== '') this.#cursor = event.cursor;
    if (event.kind.endsWith('_RESET')) this.#shown.set(event.messageId, []);
    if (event.kind.endsWith('_DELTA') && event.part !== undefined) this.#add(event.messageId, event.part);
    this.#hasEnded = event.kind.endsWith('_DONE') || event.kind.endsWith('_ERROR');
  }

  #add(messageId: string, part: Part): void {
    const parts = this.#shown.get(messageId) ?? [];
    this.#shown.set(messageId, parts);
    const last = parts.at(-1);
    if (last?.id === part.id) parts.splice(-1, 1, { ...last, content: last.content + part.content });
    else parts.push(part);
  }
}

/** Refused, reset or cut, told by fetch; or a server that is leaving. */
const isBrokenConnection = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof TypeError || error.name === 'AbortError' || error.message.includes('SHUTTING_DOWN'));
