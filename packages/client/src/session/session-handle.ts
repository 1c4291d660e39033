import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  PermissionDecision,
  type PermissionRequest,
  type SessionMessagePartSchema,
  type SessionOverridesSchema,
} from '@svc/api/data';
import type { SessionMessagePartEvent } from '@svc/api/events';
import {
  type ListSessionMessagesResponse,
  type ListTurnsResponse,
  type SendMessageResponse,
  type SessionResponse,
  WhenBusy,
} from '@svc/api/gateway';
import type { CallOptions } from '../calls.ts';
import { foldEvent, type ReplyView, viewOfMessages } from './reply-view.ts';
import { type SessionKey, type StreamOptions, type StreamParts, streamSession } from './session-stream.ts';

export interface SendOptions extends CallOptions {
  /** How long to wait for the end of the turn, 1 to 300 seconds; the answer then contains the reply. */
  readonly waitSeconds?: number;
  /** What to do while a turn is running; default queue. */
  readonly whenBusy?: 'queue' | 'steer' | 'reject' | 'interrupt';
  readonly labels?: Readonly<Record<string, string>>;
  /** Media and files in addition to the text. */
  readonly parts?: MessageInitShape<typeof SessionMessagePartSchema>[];
}

const whenBusyValues = {
  queue: WhenBusy.QUEUE,
  steer: WhenBusy.STEER,
  reject: WhenBusy.REJECT,
  interrupt: WhenBusy.INTERRUPT,
} as const;

type SessionParts = StreamParts;

/** One conversation: send, watch, stop, decide. Holds no state; any number of handles may refer to the same session. */
export class Session {
  readonly key: SessionKey;
  readonly #parts: SessionParts;

  constructor(key: SessionKey, parts: SessionParts) {
    this.key = key;
    this.#parts = parts;
  }

  /** The id of the session on its server. */
  get id(): string {
    return this.key.sessionId;
  }

  /** Returns once the message and its turn are stored durably; retries after a lost connection have one effect. */
  send(text: string, options: SendOptions = {}): Promise<SendMessageResponse> {
    const { waitSeconds, whenBusy = 'queue', labels = {}, parts = [], ...call } = options;
    const request = { ...this.key, message: text, labels: { ...labels }, whenBusy: whenBusyValues[whenBusy], parts };
    return this.#parts.gateway.sendMessage(waitSeconds === undefined ? request : { ...request, waitSeconds }, call);
  }

  /** Events from a cursor on, each exactly once; continues by itself after a lost connection. */
  stream(options: StreamOptions = {}): AsyncIterable<SessionMessagePartEvent> {
    return { [Symbol.asyncIterator]: () => streamSession(this.#parts, this.key, options) };
  }

  /** Events of the turn that a message caused, from its start to its end. */
  async *ask(
    text: string,
    options: SendOptions & Pick<StreamOptions, 'onConnection'> = {},
  ): AsyncGenerator<SessionMessagePartEvent, SendMessageResponse, undefined> {
    const { onConnection, ...send } = options;
    const sent = await this.send(text, send);
    yield* this.stream({ turnId: sent.turnId, signal: options.signal, onConnection });
    return sent;
  }

  /**
   * Whole views instead of events: first what is stored, then one view after each event, RESET and gaps included. With `untilDone` it
   * ends with the running turn, or at once when no turn is running or waiting.
   */
  async *watch(
    options: Pick<StreamOptions, 'signal' | 'untilDone' | 'onConnection'> = {},
  ): AsyncGenerator<ReplyView, void, undefined> {
    const first = await this.messages({}, options);
    let view = viewOfMessages(first.items.flatMap((item) => (item.message === undefined ? [] : [item.message])));
    yield view;
    // The stored messages are complete: no turn is going to end.
    if (options.untilDone === true && first.state === 'IDLE') return;
    let isShown = true;
    const onSnapshot: StreamOptions['onSnapshot'] = (snapshot) => {
      view = viewOfMessages(snapshot.messages);
      isShown = false;
    };
    for await (const event of this.stream({ ...options, after: first.streamCursor, onSnapshot })) {
      view = foldEvent(view, event);
      isShown = true;
      yield view;
    }
    if (!isShown) yield view;
  }

  /** Stops the running turn and all queued ones, or one of them; returns the ids it stopped. */
  async stop(turnId = '', options: CallOptions = {}): Promise<readonly string[]> {
    return (await this.#parts.gateway.stopSessionGeneration({ ...this.key, turnId }, options)).stoppedTurnIds;
  }

  /** Asks for a summary of the conversation so far; the next turn writes it. */
  async compact(options: CallOptions = {}): Promise<void> {
    await this.#parts.control.compactSession(this.key, options);
  }

  /** Removes all messages; refused with SESSION_BUSY while a turn runs unless `stop`. */
  async clear(options: CallOptions & { readonly stop?: boolean } = {}): Promise<void> {
    const { stop = false, ...call } = options;
    await this.#parts.gateway.clearSession({ ...this.key, stop }, call);
  }

  /** With the newest messages; a negative `messageLimit` leaves them out. */
  get(messageLimit = 0, options: CallOptions = {}): Promise<SessionResponse> {
    return this.#parts.gateway.getSession({ ...this.key, messageLimit }, options);
  }

  /** One page of finished messages, newest page first, each oldest to newest. */
  messages(
    page: { readonly pageSize?: number; readonly beforeMessageId?: string } = {},
    options: CallOptions = {},
  ): Promise<ListSessionMessagesResponse> {
    return this.#parts.gateway.listSessionMessages({ ...this.key, ...page }, options);
  }

  /** Deletes the session with everything in it; running turns are stopped. */
  async delete(options: CallOptions = {}): Promise<void> {
    await this.#parts.gateway.deleteSession(this.key, options);
  }

  /**
   * A new session with the messages up to `throughMessageId`, all by default. `overrides`: what it runs with in place of what the agent
   * says, for callers who may change the agent or whom it lets.
   */
  async fork(
    throughMessageId = '',
    options: CallOptions & { readonly overrides?: MessageInitShape<typeof SessionOverridesSchema> } = {},
  ): Promise<Session> {
    const { overrides, ...calling } = options;
    const request = { ...this.key, throughMessageId, ...(overrides === undefined ? {} : { overrides }) };
    const forked = await this.#parts.control.forkSession(request, calling);
    return new Session({ ...this.key, sessionId: forked.sessionId }, this.#parts);
  }

  /**
   * Answers what the turn asks a person, a permission or data by the request's schema (`data`, any JSON value); the same answer again
   * is fine, another is PERMISSION_CLOSED.
   */
  async answerPermission(
    requestId: string,
    answer: {
      readonly allow: boolean;
      readonly optionId?: string;
      readonly comment?: string;
      readonly data?: unknown;
    },
    options: CallOptions = {},
  ): Promise<PermissionRequest | undefined> {
    const decision = answer.allow ? PermissionDecision.ALLOW : PermissionDecision.DENY;
    const { optionId = '', comment = '', data } = answer;
    const answerJson = data === undefined ? '' : JSON.stringify(data);
    const response = await this.#parts.control.answerPermission(
      { ...this.key, requestId, decision, optionId, comment, answerJson },
      options,
    );
    return response.request;
  }

  /** The first page of its turns, newest first. */
  turns(options: CallOptions = {}): Promise<ListTurnsResponse> {
    return this.#parts.control.listTurns(this.key, options);
  }
}
