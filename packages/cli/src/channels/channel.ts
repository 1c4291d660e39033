import { toJson } from '@bufbuild/protobuf';
import { type ChannelMessage, ChannelMessageSchema } from '@svc/api/data';
import { type ChannelEvent, ChannelEventKind, ChannelEventSchema } from '@svc/api/events';
import { PostChannelMessageResponseSchema } from '@svc/api/gateway';
import { isSvcError } from '@svc/client';
import type { GlobalOptions } from '../connection.ts';
import { type CommandContext, openContext } from '../context.ts';
import { CommandFailure } from '../failure.ts';
import { liveEvents } from '../live-stream.ts';
import { outputForm, printValue } from '../output.ts';
import { harmless, localTime, type Style, styleFor } from '../terminal/index.ts';
import type { World } from '../world.ts';

export interface ChannelOptions extends GlobalOptions {
  readonly author?: string;
  readonly subscription?: readonly string[];
  readonly limit?: string;
  /** False with --no-follow. */
  readonly follow?: boolean;
}

/** `svc channel post CHANNEL [TEXT]`: says something in a channel and tells whom it reached. */
export const postMessage = async (world: World, words: readonly string[], options: ChannelOptions): Promise<void> => {
  const [channel = '', ...given] = words;
  const form = outputForm(options.output);
  const text = given.length > 0 ? given.join(' ') : world.stdin.isTerminal ? '' : (await world.stdin.readAll()).trim();
  if (text === '')
    throw new CommandFailure('there is nothing to say', { hint: `svc channel post ${channel} "text", or pipe it in` });
  const { client, target, note } = await openContext(world, options);
  const posted = await client.gateway.postChannelMessage({
    ...{ ns: target.namespace, channel, content: text, author: options.author ?? '' },
    subscriptionNames: [...(options.subscription ?? [])],
  });
  if (form.form !== 'table' && form.form !== 'wide')
    return printValue(world, toJson(PostChannelMessageResponseSchema, posted, { alwaysEmitImplicit: true }), form);
  world.stdout.write(`message ${posted.message?.id ?? ''}\n`);
  for (const { subscription, agent, sessionId, error } of posted.routedSessions)
    world.stdout.write(
      `  ${subscription}: ${error === '' ? `agent ${agent}, session ${sessionId}` : `not reached, ${error}`}\n`,
    );
  if (posted.routedSessions.length === 0) note('no subscription takes it: nobody will answer');
};

/** Messages shown before what comes when --limit says nothing. */
const SHOWN = 10;

/** `svc channel tail CHANNEL`: the newest messages, then everything that happens until Ctrl-C; goes on after a restart. */
export const tailChannel = async (world: World, channel: string, options: ChannelOptions): Promise<void> => {
  const { form } = outputForm(options.output);
  const isJson = form === 'json' || form === 'jsonl';
  if (!isJson && form !== 'table' && form !== 'wide')
    throw new CommandFailure(`a channel has no form ${form} here`, { hint: 'table or jsonl' });
  const context = await openContext(world, options);
  const style = styleFor(world.stdout, world.environment, options.color);
  const limit = context.limit ?? SHOWN;
  const { target, client } = context;
  const tail = new Tail();
  const list = async (): Promise<void> => {
    const { messages } = await client.gateway.listChannelMessages({ ns: target.namespace, channel, pageSize: limit });
    for (const message of messages.slice(-limit)) {
      tail.listed(message);
      world.stdout.write(
        isJson ? `${JSON.stringify(toJson(ChannelMessageSchema, message))}\n` : messageLine(message, style),
      );
    }
  };
  if (options.follow === false) return list();
  for await (const event of follow(context, { channel, tail, list }))
    world.stdout.write(isJson ? `${JSON.stringify(toJson(ChannelEventSchema, event))}\n` : eventLine(event, style));
};

/** Events remembered: as many as the server keeps events of a channel at most, which all may come again. */
const SEEN_MAX = 10_000;

/** What of a channel was shown, so that nothing is shown twice. */
class Tail {
  /** Ids of messages, numbers and times of other events; oldest first. */
  readonly #seen = new Set<string>();
  #newest = 0n;

  listed({ id, createdAt }: ChannelMessage): void {
    this.#seen.add(id);
    if (createdAt > this.#newest) this.#newest = createdAt;
  }

  /** False for what the list or an earlier stream has shown, and for what happened before the newest listed message. */
  takes({ message, timestamp, sequence }: ChannelEvent): boolean {
    if ((message?.createdAt ?? timestamp) < this.#newest) return false;
    // A restored store counts on from where it was: only with its time is a number that of one event.
    const key = message?.id ?? `${sequence}@${timestamp}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    if (this.#seen.size > SEEN_MAX) for (const oldest of this.#seen.keys().take(1)) this.#seen.delete(oldest);
    return true;
  }
}

interface Following {
  readonly channel: string;
  readonly tail: Tail;
  /** Shows what is there; called once every later event is sure to come, so that nothing falls in between. */
  readonly list: () => Promise<void>;
}

/** Every event that was not shown yet, until Ctrl-C. */
const follow = (context: CommandContext, { channel, tail, list }: Following): AsyncIterable<ChannelEvent> => {
  const { client, target, note } = context;
  let after = '';
  const events = async function* (interrupted: AbortSignal): AsyncGenerator<ChannelEvent> {
    const [end, opened] = [new AbortController(), Promise.withResolvers<void>()];
    const call = { signal: AbortSignal.any([interrupted, end.signal]), onOpen: opened.resolve };
    const request = { ns: target.namespace, channel, after };
    const stream = client.gateway.streamChannelEvents(request, call)[Symbol.asyncIterator]();
    try {
      let next = stream.next();
      await Promise.race([opened.promise, next]);
      if (after === '') await list();
      // Without a cursor a stream that breaks is opened again at the oldest event; what was shown is left out.
      after ||= '0';
      for (;;) {
        const { done, value } = await next;
        if (done === true) return;
        after = value.cursor;
        if (tail.takes(value)) yield value;
        next = stream.next();
      }
    } finally {
      end.abort();
    }
  };
  return liveEvents(context, {
    canResume: () => true,
    async *open(signal) {
      try {
        yield* events(signal);
      } catch (error) {
        if (!isSvcError(error) || error.reason !== 'CURSOR_EXPIRED' || after === '0') throw error;
        note('some events are no longer kept');
        after = '0';
        yield* events(signal);
      }
    },
  });
};

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

/** `svc channel open CHANNEL` and `svc channel close CHANNEL`: whether messages are taken; the rest stays as it is. */
export const setChannelPhase = async (
  world: World,
  given: { readonly channel: string; readonly phase: 'open' | 'closed' },
  options: GlobalOptions,
): Promise<void> => {
  const { channel: name, phase } = given;
  const { client, target } = await openContext(world, options);
  const ns = target.namespace;
  const { channel } = await client.gateway.getChannel({ ns, name });
  const isSame = channel?.status?.phase === phase;
  if (!isSame && channel !== undefined)
    await client.gateway.modifyChannel({
      ...{ ns, name },
      channel: {
        ...(channel.metadata === undefined ? {} : { metadata: channel.metadata }),
        ...(channel.spec === undefined ? {} : { spec: channel.spec }),
        status: { phase },
      },
    });
  world.stdout.write(`channel/${name} ${isSame ? `is ${phase} already` : phase === 'open' ? 'opened' : 'closed'}\n`);
};
