import type { WireEvent, WireMessage, WireMessagePage, WireSent } from '../model/wire.ts';
import type { RequestAnswer, SentFile } from '../session/chat-calls.ts';
import type { ControllerParts } from '../session/chat-controller.ts';

/** A session on a server that does what a test says, and keeps what it was asked. */
export class FakeSession {
  messages: WireMessage[] = [];
  activeTurnId = '';
  /** Fails the next call of a name with this. */
  readonly failures = new Map<string, Error>();
  readonly asked: unknown[] = [];
  /** Answers SendMessage; by default with the ids u1, t1, u2, t2 and so on. */
  onSend: (() => Promise<WireSent>) | undefined;
  #sent = 0;
  readonly #events: WireEvent[] = [];
  #wake: () => void = () => undefined;

  /** Sends an event to the stream that is open, and lets it arrive. */
  async emit(event: WireEvent): Promise<void> {
    this.#events.push({ cursor: `c${this.#events.length}`, ...event });
    this.#wake();
    await new Promise((resolve) => setImmediate(resolve));
  }

  readonly calls: ControllerParts['calls'] = {
    load: async (limit) => {
      this.#note('load', limit);
      return { messages: this.messages.slice(-limit), activeTurnId: this.activeTurnId, streamCursor: 'start' };
    },
    messages: async (size, before = ''): Promise<WireMessagePage> => {
      this.#note('messages', size, before);
      const older = this.messages.filter(({ id = '' }) => before === '' || id < before);
      return { items: older.slice(-size).map((message) => ({ message })), hasMore: older.length > size };
    },
    send: async (text: string, files: readonly SentFile[], key: string): Promise<WireSent> => {
      this.#note('send', text, files, key);
      if (this.onSend !== undefined) return this.onSend();
      this.#sent += 1;
      return { messageId: `u${this.#sent}`, turnId: `t${this.#sent}` };
    },
    stop: async () => this.#note('stop'),
    answer: async (requestId: string, answer: RequestAnswer) => this.#note('answer', requestId, answer),
    answerAgain: async (messageId: string) => this.#note('answerAgain', messageId),
    content: async (messageId: string, partId: string) => {
      this.#note('content', messageId, partId);
      return new ArrayBuffer(3);
    },
    events: (after, options) => this.#follow(after, options),
  };

  async *#follow(
    after: string,
    { signal, onOpen }: Parameters<ControllerParts['calls']['events']>[1],
  ): AsyncGenerator<WireEvent> {
    onOpen();
    let at = this.#events.findIndex(({ cursor }) => cursor === after) + 1;
    while (!signal.aborted) {
      for (; at < this.#events.length; at++) yield this.#events[at] as WireEvent;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve());
      });
    }
  }

  #note(name: string, ...given: readonly unknown[]): void {
    this.asked.push([name, ...given]);
    const failure = this.failures.get(name);
    this.failures.delete(name);
    if (failure !== undefined) throw failure;
  }
}
