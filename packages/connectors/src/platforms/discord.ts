import type { Adapter } from 'chat';
import { type ChatConnector, type ListenOptions, loadAdapter, openChatPlatform } from '../bridge/index.ts';
import { durableDiscord } from './discord-adapter.ts';
import { address, optional, required, type ShippedConnector, secret } from './shipped-connector.ts';

interface DiscordThread {
  /** `@me` for direct messages. */
  readonly guildId: string;
  readonly channelId: string;
  readonly threadId?: string;
}

/** A day: then the connection to the gateway is made again. */
const LISTEN_MS = 86_400_000;
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;

const chat: ChatConnector = {
  // Discord takes 2,000 characters.
  maxTextLength: 1_900,
  // Five rows of five; a text above buttons is the description of an embed.
  buttons: { most: 25, labelLength: 80, textLength: 4_000 },
  interaction: (raw) => ({ id: (raw as { readonly id: string }).id, raw }),
  marksEdits: true,
  open: async (settings, { logger }) => {
    const { DiscordAdapter } = await loadAdapter<typeof import('@chat-adapter/discord')>('@chat-adapter/discord');
    const apiUrl = settings.get('apiUrl');
    const DurableAdapter = durableDiscord(DiscordAdapter);
    return new DurableAdapter({
      botToken: settings.require('botToken'),
      publicKey: settings.require('publicKey'),
      applicationId: settings.require('applicationId'),
      logger,
      ...(apiUrl === undefined ? {} : { apiUrl }),
    });
  },
  listen: (adapter, options, settings) => {
    if (settings.get('gateway') === 'off') return;
    void keepListening(adapter as unknown as GatewayAdapter, options);
  },
  locate: (adapter, { threadId }) => {
    const { guildId, channelId, threadId: thread } = adapter.decodeThreadId(threadId) as DiscordThread;
    const isDirect = guildId === '@me';
    return {
      conversation: `${guildId}/${channelId}`,
      thread,
      conversationType: isDirect ? 'dm' : thread === undefined ? 'channel' : 'channel_thread',
      matchFields: { guild: guildId, channel: channelId },
    };
  },
  threadOf: (adapter, { conversation, thread }) => {
    const [guildId = '', channelId = ''] = conversation.split('/');
    return (adapter as Adapter<DiscordThread>).encodeThreadId({
      guildId,
      channelId,
      ...(thread === undefined ? {} : { threadId: thread }),
    });
  },
};

type GatewayAdapter = Pick<import('@chat-adapter/discord').DiscordAdapter, 'startGatewayListener'>;

/**
 * Keeps the connection on which Discord sends messages, one day at a time, and makes it again when it has failed: at once after one
 * that has lasted, later and later after others, because Discord allows a thousand connections a day.
 */
export async function keepListening(
  adapter: GatewayAdapter,
  { signal, log, wait }: ListenOptions,
  now: () => number = Date.now,
): Promise<void> {
  for (let delayMs = 0; !signal.aborted; await wait(delayMs, signal)) {
    const begunMs = now();
    try {
      const tasks: Promise<unknown>[] = [];
      await adapter.startGatewayListener({ waitUntil: (task) => void tasks.push(task) }, LISTEN_MS, signal);
      await Promise.all(tasks);
    } catch (error) {
      log.error('the connection to the Discord gateway failed and is made again', { error });
    }
    const hasLasted = now() - begunMs >= LAST_RETRY_MS;
    delayMs = hasLasted ? 0 : Math.min(Math.max(2 * delayMs, FIRST_RETRY_MS), LAST_RETRY_MS);
  }
}

/** Discord, by a bot: messages come by the gateway, replies go by the API. */
export const discord: ShippedConnector = {
  name: 'discord',
  title: 'Discord',
  settings: [
    secret('botToken', 'DISCORD_BOT_TOKEN', 'token of the bot'),
    required('publicKey', 'DISCORD_PUBLIC_KEY', 'public key of the application'),
    required('applicationId', 'DISCORD_APPLICATION_ID', 'id of the application'),
    optional(
      'gateway',
      'DISCORD_GATEWAY',
      'off where another program forwards the events of the gateway to the webhook',
    ),
    address('apiUrl', 'DISCORD_API_URL', 'address of the API'),
  ],
  matchIndexes: [
    { name: 'channel', fields: ['guild', 'channel'] },
    { name: 'guild', fields: ['guild'] },
  ],
  verification: 'X-Signature-Ed25519 over time and body for interactions, the bot token for forwarded events',
  open: (settings, tools) => openChatPlatform(chat, settings, tools),
};
