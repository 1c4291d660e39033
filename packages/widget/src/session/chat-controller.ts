import type { ClientEnvironment } from '@svc/client/plain';
import {
  type Attachment,
  type Conversation,
  messagesOf,
  partTypeOf,
  problemOf,
  type WireEvent,
  type WireMessage,
  withEvent,
  withOpenTurn,
  withOutgoing,
  withoutMessage,
  withPage,
  withSent,
  withStored,
  withUnsent,
} from '../model/index.ts';
import type { ChatCalls, RequestAnswer, SentFile } from './chat-calls.ts';
import { type ChatState, initialState, mediaKey } from './chat-state.ts';
import { StreamFollower } from './stream-follower.ts';

export interface ControllerParts {
  readonly calls: Pick<
    ChatCalls,
    'load' | 'messages' | 'send' | 'stop' | 'answer' | 'answerAgain' | 'content' | 'events'
  >;
  readonly environment: Pick<ClientEnvironment, 'clock' | 'random' | 'uniqueText'>;
  /** Gives up the token that was refused; false when there is no other. */
  readonly renewAccess: () => boolean;
  /** The file as a `data:` address. */
  readonly dataUrl: (file: Blob) => Promise<string>;
  /** An address of this page for bytes. */
  readonly objectUrl: (bytes: ArrayBuffer, mediaType: string) => string;
  readonly onChange: (state: ChatState) => void;
}

const PAGE = 50;
/** What a turn that was begun elsewhere may have been begun with. */
const NEWEST = 10;

/** One conversation of one page: what it shows, and everything that a person can do in it. */
export class ChatController {
  readonly #parts: ControllerParts;
  readonly #follower: StreamFollower;
  readonly #leave = new AbortController();
  #state: ChatState = initialState;
  #sending = 0;
  /** Turns whose messages are known, because they were sent here or loaded. */
  readonly #known = new Set<string>();
  readonly #ended = new Set<string>();
  readonly #met = new Set<string>();

  constructor(parts: ControllerParts) {
    this.#parts = parts;
    const { calls, environment, renewAccess } = parts;
    this.#follower = new StreamFollower({
      environment,
      renewAccess,
      load: (signal) => this.#load(signal),
      events: (after, options) => calls.events(after, options),
      onEvent: (event) => this.#take(event),
      onConnection: (isConnected) => this.#change({ isConnected }),
    });
  }

  get state(): ChatState {
    return this.#state;
  }

  /** Loads and follows the conversation until `close`. Never rejects: what fails is shown. */
  async open(): Promise<void> {
    this.#change({ phase: 'loading', problem: undefined, isConnected: true });
    try {
      await this.#follower.follow(this.#leave.signal);
    } catch (error) {
      this.#change({ phase: 'failed', problem: problemOf(error) });
    }
  }

  /** Ends following; the turn of the agent continues. */
  close(): void {
    this.#leave.abort();
  }

  /** The network is back. */
  wake(): void {
    this.#follower.wake();
  }

  /** Sends a message; what fails is shown with it. */
  async send(text: string, attachments: readonly Attachment[]): Promise<void> {
    const id = `outgoing-${this.#parts.environment.uniqueText()}`;
    await this.#deliver({ id, text, attachments });
  }

  /** Sends a message again that could not be sent; what was sent already is not sent twice. */
  async sendAgain(id: string): Promise<void> {
    const outgoing = this.#state.conversation.messages.find((message) => message.id === id)?.outgoing;
    if (outgoing !== undefined) await this.#deliver({ ...outgoing, id });
  }

  /** Gives up a message that could not be sent. */
  discard(id: string): void {
    this.#converse((conversation) => withoutMessage(conversation, id));
  }

  /** Stops the agent. */
  stop(): Promise<void> {
    return this.#attempt(() => this.#parts.calls.stop());
  }

  /** Has the last answer written again. */
  async answerAgain(messageId: string): Promise<void> {
    await this.#attempt(async () => {
      await this.#parts.calls.answerAgain(messageId);
      // The question is a new message as well.
      await this.#refresh();
    });
  }

  /** Answers a request; a refused answer is shown with it. */
  async answer(requestId: string, answer: RequestAnswer): Promise<void> {
    this.#change({ answers: new Map(this.#state.answers).set(requestId, { state: 'sending' }) });
    try {
      await this.#parts.calls.answer(requestId, answer);
    } catch (error) {
      const refused = { state: 'refused', problem: problemOf(error) } as const;
      this.#change({ answers: new Map(this.#state.answers).set(requestId, refused) });
    }
  }

  /** Shows older messages. */
  async loadEarlier(): Promise<void> {
    if (this.#state.isLoadingEarlier) return;
    this.#change({ isLoadingEarlier: true });
    await this.#attempt(async () => {
      const page = await this.#parts.calls.messages(PAGE, this.#state.conversation.messages[0]?.id);
      this.#change({ hasEarlier: page.hasMore === true });
      this.#store(messagesOf(page));
    });
    this.#change({ isLoadingEarlier: false });
  }

  /** Fetches the bytes of a part; the state says what became of it. Answers their address, '' when they cannot be had. */
  async fetchMedia(messageId: string, part: { readonly id: string; readonly mediaType: string }): Promise<string> {
    const key = mediaKey(messageId, part.id);
    const known = this.#state.media.get(key);
    if (known?.state === 'ready') return known.url;
    this.#change({ media: new Map(this.#state.media).set(key, { state: 'loading' }) });
    try {
      const url = this.#parts.objectUrl(await this.#parts.calls.content(messageId, part.id), part.mediaType);
      this.#change({ media: new Map(this.#state.media).set(key, { state: 'ready', url }) });
      return url;
    } catch (error) {
      const media = new Map(this.#state.media).set(key, { state: 'failed' });
      this.#change({ media, notice: problemOf(error) });
      return '';
    }
  }

  async #load(signal: AbortSignal): Promise<string> {
    const session = await this.#parts.calls.load(PAGE, signal);
    const { messages = [], activeTurnId = '', streamCursor = '' } = session;
    const outgoing = this.#state.conversation.messages.filter((message) => message.outgoing !== undefined);
    const loaded = withOpenTurn(withStored({ messages: outgoing, openTurns: [] }, messages), activeTurnId);
    if (activeTurnId !== '') this.#known.add(activeTurnId);
    this.#change({ phase: 'ready', conversation: loaded, hasEarlier: messages.length >= PAGE });
    return streamCursor;
  }

  #take(event: WireEvent): void {
    const { turnId = '', kind = '' } = event;
    this.#converse((conversation) => withEvent(conversation, event));
    if (/_(?:DONE|ERROR)$/.test(kind)) this.#ended.add(turnId);
    if (this.#known.has(turnId) || turnId === '') return;
    this.#met.add(turnId);
    void this.#meet();
  }

  /** A turn was begun elsewhere, such as in another window: no event shows the message that began it. */
  async #meet(): Promise<void> {
    if (this.#sending > 0) return;
    const strangers = [...this.#met].filter((turnId) => !this.#known.has(turnId));
    this.#met.clear();
    if (strangers.length === 0) return;
    for (const turnId of strangers) this.#known.add(turnId);
    await this.#attempt(() => this.#refresh());
  }

  async #refresh(): Promise<void> {
    const { messages } = this.#state.conversation;
    const known = new Set(messages.filter(({ isFinished }) => isFinished).map(({ id }) => id));
    const page = await this.#parts.calls.messages(NEWEST);
    this.#converse((conversation) => withPage(conversation, page, known));
  }

  async #deliver(message: {
    readonly id: string;
    readonly text: string;
    readonly attachments: readonly Attachment[];
  }): Promise<void> {
    const { id, text, attachments } = message;
    this.#converse((conversation) => withOutgoing(conversation, { id, text, attachments }));
    this.#sending += 1;
    try {
      const files: SentFile[] = [];
      for (const { file } of attachments)
        files.push({ partType: partTypeOf(file.type), name: file.name, url: await this.#parts.dataUrl(file) });
      const { messageId = '', turnId = '' } = await this.#parts.calls.send(text, files, id);
      this.#known.add(turnId);
      this.#converse((conversation) => {
        const sent = withSent(conversation, id, { messageId, turnId });
        return this.#ended.has(turnId) ? sent : withOpenTurn(sent, turnId);
      });
    } catch (error) {
      this.#converse((conversation) => withUnsent(conversation, id, problemOf(error)));
    } finally {
      this.#sending -= 1;
    }
    await this.#meet();
  }

  #store(messages: readonly WireMessage[]): void {
    this.#converse((conversation) => withStored(conversation, messages));
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    this.#change({ notice: undefined });
    try {
      await work();
    } catch (error) {
      this.#change({ notice: problemOf(error) });
    }
  }

  #converse(change: (conversation: Conversation) => Conversation): void {
    this.#change({ conversation: change(this.#state.conversation) });
  }

  #change(change: Partial<ChatState>): void {
    this.#state = { ...this.#state, ...change };
    this.#parts.onChange(this.#state);
  }
}
