import type { Adapter } from 'chat';
import { type ChatConnector, loadAdapter, openChatPlatform } from '../bridge/index.ts';
import { address, type ShippedConnector, secret } from './shipped-connector.ts';

interface TelegramThread {
  readonly chatId: string;
  /** Topic of a forum. */
  readonly messageThreadId?: number;
}

interface TelegramRaw {
  readonly chat?: { readonly type?: string };
}

const chat: ChatConnector = {
  // Telegram takes 4,096 characters, and its form of markdown needs some of them for escapes.
  maxTextLength: 3_000,
  hasIdentity: true,
  marksEdits: true,
  open: async (settings, { logger }) => {
    const { createTelegramAdapter } =
      await loadAdapter<typeof import('@chat-adapter/telegram')>('@chat-adapter/telegram');
    const apiUrl = settings.get('apiUrl');
    return createTelegramAdapter({
      botToken: settings.require('botToken'),
      secretToken: settings.require('secretToken'),
      mode: 'webhook',
      logger,
      ...(apiUrl === undefined ? {} : { apiUrl }),
    });
  },
  locate: (adapter, { threadId, raw }) => {
    const { chatId, messageThreadId } = adapter.decodeThreadId(threadId) as TelegramThread;
    const type = (raw as TelegramRaw | undefined)?.chat?.type ?? 'private';
    return {
      conversation: chatId,
      thread: messageThreadId === undefined ? undefined : String(messageThreadId),
      conversationType: typeOf(type, messageThreadId !== undefined),
      matchFields: { bot: adapter.botUserId ?? '', chat: chatId, chat_type: type },
    };
  },
  threadOf: (adapter, { conversation, thread }) =>
    (adapter as Adapter<TelegramThread>).encodeThreadId({
      chatId: conversation,
      // A reply that asks for a thread outside of a forum names the message, which is not a topic.
      ...(thread !== undefined && /^\d+$/.test(thread) ? { messageThreadId: Number(thread) } : {}),
    }),
};

function typeOf(type: string, isInTopic: boolean) {
  if (type === 'private') return 'dm';
  if (isInTopic) return 'channel_thread';
  return type === 'channel' ? 'channel' : 'group';
}

/** Telegram, by a bot and its webhook. */
export const telegram: ShippedConnector = {
  name: 'telegram',
  title: 'Telegram',
  settings: [
    secret('botToken', 'TELEGRAM_BOT_TOKEN', 'token of the bot, from @BotFather'),
    secret('secretToken', 'TELEGRAM_WEBHOOK_SECRET_TOKEN', 'secret_token that was given to setWebhook'),
    address('apiUrl', 'TELEGRAM_API_BASE_URL', 'address of a Bot API server of your own'),
  ],
  matchIndexes: [
    { name: 'chat', fields: ['bot', 'chat'] },
    { name: 'chat_type', fields: ['bot', 'chat_type'] },
    { name: 'bot', fields: ['bot'] },
  ],
  verification: 'X-Telegram-Bot-Api-Secret-Token, which has to be the secret token',
  open: (settings, tools) => openChatPlatform(chat, settings, tools),
};
