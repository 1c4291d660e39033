import { EventLines, type ServerEvent } from './event-lines.ts';

/** `waiting`: the connection is lost and will be tried again; `paused`: the tab is hidden; `refused`: the credential is no longer good. */
export type LiveState = 'connecting' | 'open' | 'waiting' | 'paused' | 'refused';

/** What the stream needs of its page. */
export interface LiveHost {
  /** Opens the stream behind the cursor, '' for from now on. */
  readonly open: (after: string, signal: AbortSignal) => Promise<Response>;
  /** Resolves after the time in milliseconds, or early when `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Told what a listener threw: a mistake of the page, which costs the others no event and the stream no connection. */
  readonly failed: (error: unknown) => void;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
/** The server writes at least every 15 s; after three such times of silence nothing comes any more. */
const LOOK_MS = 15_000;
const QUIET_LOOKS = 3;

/** The one stream that keeps every screen up to date. It continues behind the last event after any disconnect. */
export class LiveStream {
  readonly #host: LiveHost;
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #watchers = new Set<() => void>();
  #state: LiveState = 'connecting';
  #cursor = '';
  #run: AbortController | undefined;

  constructor(host: LiveHost) {
    this.#host = host;
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Calls back after each change of the state; answers how to stop. */
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /** Calls back for each event, `ready` and `refresh` included; answers how to stop. */
  listen(receive: (event: ServerEvent) => void): () => void {
    this.#listeners.add(receive);
    return () => this.#listeners.delete(receive);
  }

  start(): void {
    if (this.#run !== undefined) return;
    this.#run = new AbortController();
    void this.#follow(this.#run.signal);
  }

  /** Closes the connection and keeps the place; `start` continues from there. */
  stop(state: LiveState = 'paused'): void {
    this.#run?.abort();
    this.#run = undefined;
    this.#become(state);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let wait = FIRST_WAIT_MS;
    while (!signal.aborted) {
      if (this.#state !== 'waiting') this.#become('connecting');
      const outcome = await this.#readOnce(signal);
      if (signal.aborted) return;
      if (outcome === 'refused') return this.stop('refused');
      wait = outcome === 'had events' ? FIRST_WAIT_MS : Math.min(wait * 2, LONGEST_WAIT_MS);
      this.#become('waiting');
      await this.#host.pause(wait * (0.5 + this.#host.random() / 2), signal);
    }
  }

  /** One connection until it ends. A lost connection is not an error here: the next one continues. */
  async #readOnce(signal: AbortSignal): Promise<'had events' | 'had none' | 'refused'> {
    const connection = new AbortController();
    const close = (): void => connection.abort();
    signal.addEventListener('abort', close);
    let hadEvents = false;
    try {
      const answer = await this.#host.open(this.#cursor, connection.signal);
      if (answer.status === 401) return 'refused';
      if (answer.status !== 200 || answer.body === null) return 'had none';
      this.#become('open');
      const heard = this.#watchSilence(connection);
      for await (const event of events(answer.body, heard)) {
        hadEvents = true;
        if (event.id !== '') this.#cursor = event.id;
        this.#tell(event);
      }
    } catch {
      // The network failed or was silent; the state tells the person, and the loop tries again.
    } finally {
      signal.removeEventListener('abort', close);
      close();
    }
    return hadEvents ? 'had events' : 'had none';
  }

  #tell(event: ServerEvent): void {
    for (const receive of this.#listeners) {
      try {
        receive(event);
      } catch (error) {
        this.#host.failed(error);
      }
    }
  }

  /** Answers a function to call for all that comes; without calls the connection is closed. */
  #watchSilence(connection: AbortController): () => void {
    let quiet = 0;
    const look = async (): Promise<void> => {
      while (!connection.signal.aborted && quiet < QUIET_LOOKS) {
        await this.#host.pause(LOOK_MS, connection.signal);
        quiet += 1;
      }
      connection.abort();
    };
    void look();
    return () => {
      quiet = 0;
    };
  }

  #become(state: LiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const changed of this.#watchers) changed();
  }
}

async function* events(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<ServerEvent> {
  const lines = new EventLines();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const piece = await reader.read();
    heard();
    if (piece.done) return;
    yield* lines.push(decoder.decode(piece.value, { stream: true }));
  }
}
