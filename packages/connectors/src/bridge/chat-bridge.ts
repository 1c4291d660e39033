import type { Adapter, ChatInstance, HistoryApi, Logger, Message, TranscriptsApi, WebhookOptions } from 'chat';
import { type ConnectorHost, type InboundEvent, NotTaken } from '../kit/index.ts';
import type { ChatConnector } from './chat-connector.ts';
import { deletionOf, eventOf, type MessageSource } from './inbound.ts';
import { commandOf, pressOf } from './interactions.ts';
import { MemoryState } from './memory-state.ts';
import { currentRequest, RequestWork } from './request-work.ts';

interface BridgeOptions {
  readonly connector: ChatConnector;
  readonly host: ConnectorHost;
  readonly logger: Logger;
  readonly userName: string;
  readonly now: () => number;
  /** Ends early when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Aborted when the connector stops. */
  readonly stopping: AbortSignal;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

type Updated = Parameters<ChatInstance['processMessageUpdated']>[0];
type Deleted = Parameters<ChatInstance['processMessageDeleted']>[0];

/**
 * Takes the place of the core of the Chat SDK for one adapter: every message becomes an event for svc, and a webhook is answered
 * when all of its events were taken. A press of a button under a question is an answer, and a command is a message; what else there is
 * (reactions, views) has no use in svc and is left alone.
 */
export class ChatBridge implements ChatInstance {
  readonly #options: BridgeOptions;
  readonly #state: MemoryState;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.#state = new MemoryState(options.now);
  }

  /** Lets the adapter answer a webhook. Throws NotTaken when anything that the webhook brought was not taken by svc. */
  async receive(adapter: Adapter, request: Request): Promise<Response> {
    const work = new RequestWork();
    return await currentRequest.run(work, async () => {
      const answer = await adapter.handleWebhook(request, {
        waitUntil: (task) => work.add(task),
        propagateHandlerErrors: true,
      });
      try {
        await work.settle();
      } catch (error) {
        throw error instanceof NotTaken ? error : new NotTaken('the message could not be read', { cause: error });
      }
      return answer;
    });
  }

  async processMessage(...given: Parameters<ChatInstance['processMessage']>): Promise<void> {
    const [adapter, threadId, message, options] = given;
    await this.#process(options, async () => {
      const written = await read(message);
      const isEdit = this.#options.connector.marksEdits === true && written.metadata.edited;
      return eventUnlessOwn(this.#source(adapter, threadId), written, isEdit ? 'updated' : 'created');
    });
  }

  async handleIncomingMessage(adapter: Adapter, threadId: string, message: Message): Promise<void> {
    await this.processMessage(adapter, threadId, message);
  }

  async processMessageUpdated({ adapter, message, threadId }: Updated, options?: WebhookOptions): Promise<void> {
    await this.#process(options, async () =>
      eventUnlessOwn(this.#source(adapter, threadId), await read(message), 'updated'),
    );
  }

  async processMessageDeleted(event: Deleted, options?: WebhookOptions): Promise<void> {
    await this.#process(options, async () => {
      const isOwn = event.previousMessage?.author.isMe === true;
      return isOwn ? undefined : deletionOf(this.#source(event.adapter, event.threadId), event);
    });
  }

  getLogger(prefix?: string): Logger {
    return prefix === undefined ? this.#options.logger : this.#options.logger.child(prefix);
  }

  getState(): MemoryState {
    return this.#state;
  }

  getUserName(): string {
    return this.#options.userName;
  }

  get history(): HistoryApi {
    throw new Error('the history of a conversation is in svc');
  }

  get transcripts(): TranscriptsApi {
    throw new Error('the history of a conversation is in svc');
  }

  async abortTurn(): Promise<void> {
    this.#options.host.log.info('a stop asked for on the platform has no effect: stop the turn in svc');
  }

  async processAction(...[press, options]: Parameters<ChatInstance['processAction']>): Promise<void> {
    await this.#process(options, async () => pressOf(this.#source(press.adapter, press.threadId), press));
  }

  async processReaction(): Promise<void> {
    // svc has no reactions.
  }

  async processSlashCommand(...[command, options]: Parameters<ChatInstance['processSlashCommand']>): Promise<void> {
    await this.#process(options, async () => commandOf(this.#source(command.adapter, command.channelId), command));
  }

  async processModalSubmit(): Promise<undefined> {
    return undefined;
  }

  async processOptionsLoad(): Promise<undefined> {
    return undefined;
  }

  processModalClose(): void {
    // svc opens no forms.
  }

  processAgentSessionStopped(): void {
    this.#options.host.log.info('a stop asked for on the platform has no effect: stop the turn in svc');
  }

  processAgentSessionTitleChanged(): void {
    // Titles of sessions are those of svc.
  }

  processAppContextChanged(): void {
    // What the person sees there is not part of a message.
  }

  processAppHomeOpened(): void {
    // There is no home view.
  }

  processAssistantContextChanged(): void {
    // What the person sees there is not part of a message.
  }

  processAssistantThreadStarted(): void {
    // The first message starts the session.
  }

  processMemberJoinedChannel(): void {
    // Members are the platform's own business.
  }

  #source(adapter: Adapter, threadId: string): MessageSource {
    return { adapter, threadId, connector: this.#options.connector };
  }

  /** Sends what `make` returns to svc, as work of the webhook that brought it. Never rejects: adapters do not wait. */
  async #process(options: WebhookOptions | undefined, make: () => Promise<InboundEvent | undefined>): Promise<void> {
    const request = currentRequest.getStore();
    const work = request?.isSettled === true ? undefined : request;
    const task = work === undefined ? this.#ingestUntilTaken(make) : this.#ingest(make);
    work?.addEvent(task);
    // Some adapters wait for what they are handed here before they answer.
    options?.waitUntil?.(task);
    await task.catch(() => undefined);
  }

  /** Without a webhook no one sends the message again: it is tried until svc takes it or the connector stops. */
  async #ingestUntilTaken(make: () => Promise<InboundEvent | undefined>): Promise<boolean> {
    const { host, stopping, wait } = this.#options;
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LAST_RETRY_MS)) {
      try {
        return await this.#ingest(make);
      } catch (error) {
        if (stopping.aborted) throw error;
        host.log.warn('a message was not taken by svc and is tried again', { error });
        await wait(delayMs, stopping);
      }
    }
  }

  /** Whether svc has accepted it. */
  async #ingest(make: () => Promise<InboundEvent | undefined>): Promise<boolean> {
    const event = await make();
    return event !== undefined && (await this.#options.host.ingest(event));
  }
}

const read = async (message: Message | (() => Promise<Message>)): Promise<Message> =>
  typeof message === 'function' ? await message() : message;

const eventUnlessOwn = (
  source: MessageSource,
  message: Message,
  kind: 'created' | 'updated',
): InboundEvent | undefined => (message.author.isMe ? undefined : eventOf(source, message, kind));
