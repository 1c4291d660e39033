import type { SessionMessage } from '@svc/api/data';
import { SessionMessagePartEventKind } from '@svc/api/events';
import { emptyView, foldEvent, isSvcError, type ReplyView, type Session, type ShownMessage } from '@svc/client';

/** Messages of one page; the cap of the server. */
const PAGE = 200;
/** Messages that are shown first: enough for any window, and read in a fraction of the time of a whole page. */
const FIRST_PAGE = 50;

/** What is known of a conversation; a new value after each change. */
export interface ConversationView {
  /** Finished messages, oldest first. */
  readonly stored: readonly SessionMessage[];
  /** Messages that are being written. */
  readonly live: readonly ShownMessage[];
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  readonly isLoaded: boolean;
  /** False while the connection is lost; the stream is trying again. */
  readonly isConnected: boolean;
  /** Why it cannot be shown or continued. */
  readonly error: Error | undefined;
}

/** What a conversation needs of the page. */
export interface ConversationHost {
  readonly session: Pick<Session, 'messages' | 'stream'>;
  /** Runs the function once, soon: all changes until then are shown together. */
  readonly soon: (run: () => void) => void;
}

/**
 * A conversation as it is stored and as it grows. It loads the newest messages, follows the stream behind them, and replaces what it
 * folded from the stream by the stored message once the turn has ended. Older pages come on demand.
 */
export class Conversation {
  readonly #host: ConversationHost;
  readonly #watchers = new Set<() => void>();
  #view: ConversationView = {
    stored: [],
    live: [],
    hasOlder: false,
    isLoadingOlder: false,
    isLoaded: false,
    isConnected: true,
    error: undefined,
  };
  #reply: ReplyView = emptyView;
  #isNotifying = false;
  #end: AbortController | undefined;
  /** Something could not be loaded while the server was away. */
  #isStale = false;
  /** Number of the newest question for the newest messages, and of the newest one that was answered. */
  #asked = 0;
  #answered = 0;

  constructor(host: ConversationHost) {
    this.#host = host;
  }

  get view(): ConversationView {
    return this.#view;
  }

  /** Calls back after changes; answers how to stop. */
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /** Loads the conversation and follows it until `stop`; once more after an error. */
  readonly start = (): void => {
    this.stop();
    // The stream tells the unfinished message again from its start.
    this.#reply = emptyView;
    this.#end = new AbortController();
    void this.#follow(this.#end.signal);
  };

  readonly stop = (): void => this.#end?.abort();

  async #follow(signal: AbortSignal): Promise<void> {
    this.#change({ error: undefined });
    try {
      const after = await this.#loadNewest(this.#view.stored.length === 0 ? FIRST_PAGE : PAGE, signal);
      const events = this.#host.session.stream({
        after,
        signal,
        onConnection: ({ state }) => {
          this.#change({ isConnected: state === 'open' });
          if (state === 'open' && this.#isStale) void this.refresh();
        },
        onSnapshot: () => {
          this.#reply = emptyView;
          void this.refresh();
        },
      });
      for await (const event of events) {
        this.#reply = foldEvent(this.#reply, event);
        this.#change({ live: this.#liveMessages() });
        if (isEnd(event.kind)) void this.refresh();
      }
    } catch (error) {
      this.#fail(error, signal);
    }
  }

  /** Loads the newest messages again; for messages that others wrote or edited. */
  async refresh(): Promise<void> {
    const signal = this.#end?.signal;
    if (signal === undefined) return;
    this.#isStale = false;
    try {
      await this.#loadNewest(PAGE, signal);
    } catch (error) {
      this.#failLater(error, signal);
    }
  }

  /** Loads the page before the oldest message that is known. */
  async loadOlder(): Promise<void> {
    const { hasOlder, isLoadingOlder, stored } = this.#view;
    const signal = this.#end?.signal;
    if (!hasOlder || isLoadingOlder || signal === undefined) return;
    this.#change({ isLoadingOlder: true });
    try {
      const page = await this.#host.session.messages(
        { pageSize: PAGE, beforeMessageId: stored[0]?.id ?? '' },
        { signal },
      );
      this.#change({ stored: [...messagesOf(page), ...this.#view.stored], hasOlder: page.hasMore });
    } catch (error) {
      this.#failLater(error, signal);
    }
    this.#change({ isLoadingOlder: false });
  }

  /** Id of the message before this one; undefined when it is the first of the session. The server is asked: it may not be loaded. */
  async idBefore(id: string): Promise<string | undefined> {
    const page = await this.#host.session.messages({ pageSize: 1, beforeMessageId: id });
    return messagesOf(page).at(-1)?.id;
  }

  /** Answers the cursor behind the messages. */
  async #loadNewest(pageSize: number, signal: AbortSignal): Promise<string> {
    this.#asked += 1;
    const load = this.#asked;
    const page = await this.#host.session.messages({ pageSize }, { signal });
    // An answer to an earlier question that comes later knows less.
    if (load < this.#answered) return page.streamCursor;
    this.#answered = load;
    const newest = messagesOf(page);
    const { stored, hasOlder } = this.#view;
    const first = newest[0]?.id ?? '';
    // Pages that do not meet would leave a gap: then only the new page counts. Nothing before it means the rest is gone.
    const meets = page.hasMore && stored.some(({ id }) => id >= first);
    const older = meets ? stored.filter(({ id }) => id < first) : [];
    this.#change({
      stored: [...older, ...newest],
      hasOlder: older.length > 0 ? hasOlder : page.hasMore,
      isLoaded: true,
    });
    const isStored = new Set(newest.map(({ id }) => id));
    this.#reply = {
      ...this.#reply,
      messages: this.#reply.messages.filter(({ id, isFinished }) => !(isFinished && isStored.has(id))),
    };
    this.#change({ live: this.#liveMessages() });
    return page.streamCursor;
  }

  /** Those that still grow hide their stored form, of which there is one while a reply is written again. */
  #liveMessages(): readonly ShownMessage[] {
    return this.#reply.messages.filter(({ parts }) => parts.length > 0);
  }

  /** A server that is away does not end it: what was asked is asked again once it is back. */
  #failLater(error: unknown, signal: AbortSignal): void {
    if (isSvcError(error) && error.code === 'UNAVAILABLE') this.#isStale = true;
    else this.#fail(error, signal);
  }

  #fail(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (!(error instanceof Error)) throw error;
    this.#change({ error, isConnected: !isSvcError(error) || error.code !== 'UNAVAILABLE' });
  }

  #change(part: Partial<ConversationView>): void {
    this.#view = { ...this.#view, ...part };
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    this.#host.soon(() => {
      this.#isNotifying = false;
      for (const changed of this.#watchers) changed();
    });
  }
}

const isEnd = (kind: SessionMessagePartEventKind): boolean =>
  kind === SessionMessagePartEventKind.DONE || kind === SessionMessagePartEventKind.ERROR;

const messagesOf = (page: Awaited<ReturnType<Session['messages']>>): readonly SessionMessage[] =>
  page.items.flatMap(({ message }) => message ?? []);
