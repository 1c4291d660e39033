import type * as Telegram from '@chat-adapter/telegram';
import type { Adapter } from 'chat';
import { type ChatConnector, eventsTaken, loadAdapter, openChatPlatform } from '../bridge/index.ts';
import { address, type ShippedConnector, secret } from './shipped-connector.ts';

interface TelegramThread {
  readonly chatId: string;
  /** Topic of a forum. */
  readonly messageThreadId?: number;
}

interface TelegramPress {
  readonly id: string;
  /** The message with the button. */
  readonly message: unknown;
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
    const { TelegramAdapter } = await loadAdapter<typeof Telegram>('@chat-adapter/telegram');
    const DurableAdapter = durable(TelegramAdapter);
    const apiUrl = settings.get('apiUrl');
    return new DurableAdapter({
      botToken: settings.require('botToken'),
      secretToken: settings.require('secretToken'),
      mode: 'webhook',
      logger,
      ...(apiUrl === undefined ? {} : { apiUrl }),
    });
  },
  commandsAreMessages: true,
  // A label has no limit of its own; a long one is cut by the apps.
  buttons: { most: 20, labelLength: 60, textLength: 3_000, isOnePerRow: true },
  interaction: (raw) => {
    const { id, message } = raw as TelegramPress;
    return { id, raw: message };
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

/** The adapter of the Chat SDK, where it would acknowledge what svc has not taken. */
const durable = (Adapter: typeof Telegram.TelegramAdapter) =>
  class extends Adapter {
    /** Telegram shows that a press has arrived once svc has it. */
    protected override async telegramFetch<Result>(
      ...[method, payload, request]: Parameters<InstanceType<typeof Telegram.TelegramAdapter>['telegramFetch']>
    ): Promise<Result> {
      if (method === 'answerCallbackQuery') await eventsTaken();
      return super.telegramFetch<Result>(method, payload, request);
    }

    /** Pictures of an album come one by one; the adapter would hold them in memory to make one message of them. */
    protected override handleIncomingMessageUpdate(
      message: Telegram.TelegramMessage,
      options?: Parameters<Telegram.TelegramAdapter['handleWebhook']>[1],
    ) {
      const { media_group_id: _album, ...single } = message;
      return super.handleIncomingMessageUpdate(single, options);
    }
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
