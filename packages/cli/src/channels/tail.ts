import { toJson } from '@bufbuild/protobuf';
import { type ChannelMessage, ChannelMessageSchema } from '@svc/api/data';
import { type ChannelEvent, ChannelEventKind, ChannelEventSchema } from '@svc/api/events';
import { isSvcError } from '@svc/client';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import type { Host } from '../host.ts';
import { liveEvents } from '../live-stream.ts';
import { outputForm } from '../output.ts';
import { harmless, localTime, type Style, styleFor } from '../terminal/index.ts';
import type { ChannelOptions } from './channel.ts';
import { ShownOfChannel } from './shown-of-channel.ts';

/** Messages shown first if --limit is not given. */
const SHOWN = 10;
/** Messages of one page of the server, and those that are checked at once after a break. */
const PAGE_MAX = 200;
const PAGE_AGAIN = 50;

/** `svc channel tail CHANNEL`: the newest messages, then everything that happens until Ctrl-C; continues after a restart. */
export const tailChannel = async (host: Host, channel: string, options: ChannelOptions): Promise<void> => {
  const { form } = outputForm(options.output);
  const isJson = form === 'json' || form === 'jsonl';
  if (!isJson && form !== 'table' && form !== 'wide')
    throw new CommandFailure(`a channel has no form ${form} here`, { hint: 'table or jsonl' });
  const context = await openContext(host, options);
  const style = styleFor(host.stdout, host.environment, options.color);
  const show = (message: ChannelMessage): void =>
    host.stdout.write(
      isJson ? `${JSON.stringify(toJson(ChannelMessageSchema, message))}\n` : messageLine(message, style),
    );
  const tail = new Tail({ context, channel, limit: context.limit ?? SHOWN, show });
  if (options.follow === false) return tail.list();
  for await (const event of tail.follow())
    host.stdout.write(isJson ? `${JSON.stringify(toJson(ChannelEventSchema, event))}\n` : eventLine(event, style));
};

interface TailParts {
  readonly context: CommandContext;
  readonly channel: string;
  /** Messages shown first. */
  readonly limit: number;
  readonly show: (message: ChannelMessage) => void;
}

/**
 * Follows a channel and shows each thing once. A stream that resumes at its cursor misses nothing. Without a cursor,
 * the list is read after the stream is open: every later event will come, and what both contain is shown once.
 */
class Tail {
  readonly #parts: TailParts;
  readonly #shown = new ShownOfChannel();
  #cursor = '';
  #isListed = false;

  constructor(parts: TailParts) {
    this.#parts = parts;
  }

  /** Shows the newest messages. */
  async list(signal?: AbortSignal): Promise<void> {
    const { limit, show } = this.#parts;
    const pages = { pageSize: Math.min(PAGE_MAX, limit), signal };
    const { messages, hasMore } = await this.#newest(pages, (found) => found.length < limit);
    const listed = messages.slice(-limit);
    this.#shown.start(listed, hasMore || listed.length < messages.length);
    this.#isListed = true;
    for (const message of listed) show(message);
  }

  /** Shows the newest messages, then yields every event that was not shown yet, until Ctrl-C. */
  follow(): AsyncIterable<ChannelEvent> {
    const events = (signal: AbortSignal, onOpen: () => void) => this.#events(signal, onOpen);
    const forget = () => this.#forgetCursor();
    return liveEvents(this.#parts.context, {
      canResume: () => true,
      async *open(signal, onOpen) {
        try {
          yield* events(signal, onOpen);
        } catch (error) {
          if (!isSvcError(error) || error.reason !== 'CURSOR_EXPIRED' || !forget()) throw error;
          yield* events(signal, onOpen);
        }
      },
    });
  }

  /** False when there is none. */
  #forgetCursor(): boolean {
    if (this.#cursor === '') return false;
    this.#parts.context.note('some events are no longer kept');
    this.#cursor = '';
    return true;
  }

  async *#events(interrupted: AbortSignal, onOpen: () => void): AsyncGenerator<ChannelEvent> {
    const { context, channel } = this.#parts;
    const { client, target } = context;
    const [end, opened] = [new AbortController(), Promise.withResolvers<void>()];
    const signal = AbortSignal.any([interrupted, end.signal]);
    const call = {
      signal,
      onOpen: (): void => {
        onOpen();
        opened.resolve();
      },
    };
    const isResumed = this.#cursor !== '';
    // After a break without a cursor everything that is kept is sent again; what was shown is left out.
    const after = isResumed ? this.#cursor : this.#isListed ? '0' : '';
    const stream = client.gateway
      .streamChannelEvents({ ns: target.namespace, channel, after }, call)
      [Symbol.asyncIterator]();
    try {
      let next = stream.next();
      if (!isResumed) {
        await Promise.race([opened.promise, next]);
        if (after === '') await this.list(call.signal);
        else await this.#catchUp(call.signal);
      }
      for (;;) {
        const { done, value } = await next;
        if (done === true) return;
        this.#cursor = value.cursor;
        if (this.#shown.takes(value)) yield value;
        next = stream.next();
      }
    } finally {
      end.abort();
    }
  }

  /** Messages are kept longer than their events: those that came while there was no stream are read, however many. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    this.#shown.startAgain();
    const { newest } = this.#shown;
    const pages = { pageSize: PAGE_AGAIN, signal };
    const { messages } = await this.#newest(pages, (found) => (found[0]?.id ?? '') > newest);
    for (const message of messages) if (this.#shown.takesMessage(message)) this.#parts.show(message);
  }

  /** The newest messages, oldest first, page by page until `isWanted` returns false for what was found. */
  async #newest(
    { pageSize, signal }: { readonly pageSize: number; readonly signal: AbortSignal | undefined },
    isWanted: (found: readonly ChannelMessage[]) => boolean,
  ): Promise<{ readonly messages: readonly ChannelMessage[]; readonly hasMore: boolean }> {
    const { context, channel } = this.#parts;
    let messages: readonly ChannelMessage[] = [];
    let beforeMessageId: string | undefined;
    do {
      const request = {
        ns: context.target.namespace,
        channel,
        pageSize,
        ...(beforeMessageId === undefined ? {} : { beforeMessageId }),
      };
      const page = await context.client.gateway.listChannelMessages(request, { signal });
      messages = [...page.messages, ...messages];
      beforeMessageId = page.hasMore ? page.nextBeforeMessageId : undefined;
    } while (beforeMessageId !== undefined && isWanted(messages));
    return { messages, hasMore: beforeMessageId !== undefined };
  }
}

const messageLine = ({ createdAt, author, authorKind, content, sourceAgent }: ChannelMessage, style: Style): string => {
  const who = author || sourceAgent || authorKind;
  const time = localTime(Number(createdAt) / 1_000);
  return `${style.dim(time)} ${style.bold(harmless(who))}: ${harmless(content).trimEnd()}\n`;
};

const eventLine = (event: ChannelEvent, style: Style): string => {
  const { kind, message, agent, subscription, sessionId, error, timestamp } = event;
  const line = (text: string): string => `${style.dim(`${localTime(Number(timestamp) / 1_000)} ${harmless(text)}`)}\n`;
  switch (kind) {
    case ChannelEventKind.MESSAGE_CREATED:
      return message === undefined ? '' : messageLine(message, style);
    case ChannelEventKind.SESSION_ROUTED:
      return line(`${subscription}: agent ${agent} is at it (session ${sessionId})`);
    case ChannelEventKind.PUBLISH_SKIPPED:
      return line(`${subscription}: agent ${agent} does not answer: ${error}`);
    case ChannelEventKind.ERROR:
      return line(`${subscription}: agent ${agent} is not reached: ${error}`);
    case ChannelEventKind.UNSPECIFIED:
      return '';
  }
};
