import type { Adapter } from 'chat';
import { type ChatConnector, loadAdapter, openChatPlatform, retryAfterOf } from '../bridge/index.ts';
import { address, optional, type ShippedConnector, secret } from './shipped-connector.ts';

interface LinearThread {
  readonly issueId: string;
  readonly commentId?: string;
}

interface LinearRaw {
  readonly organizationId?: string;
}

const chat: ChatConnector = {
  maxTextLength: 60_000,
  hasIdentity: true,
  open: async (settings, { logger }) => {
    const { createLinearAdapter } = await loadAdapter<typeof import('@chat-adapter/linear')>('@chat-adapter/linear');
    const apiUrl = settings.get('apiUrl');
    const userName = settings.get('userName');
    return createLinearAdapter({
      apiKey: settings.require('apiKey'),
      webhookSecret: settings.require('webhookSecret'),
      mode: 'comments',
      logger,
      ...(apiUrl === undefined ? {} : { apiUrl }),
      ...(userName === undefined ? {} : { userName }),
    });
  },
  locate: (adapter, { threadId, messageId, raw }) => {
    const { issueId, commentId } = adapter.decodeThreadId(threadId) as LinearThread;
    // The first comment of a thread is its root.
    const thread = commentId === messageId ? undefined : commentId;
    const organization = (raw as LinearRaw | undefined)?.organizationId ?? '';
    return {
      conversation: issueId,
      thread,
      conversationType: thread === undefined ? 'channel' : 'channel_thread',
      matchFields: { organization, issue: issueId },
    };
  },
  threadOf: (adapter, { conversation, thread }) =>
    (adapter as Adapter<LinearThread>).encodeThreadId({
      issueId: conversation,
      ...(thread === undefined ? {} : { commentId: thread }),
    }),
  // Linear limits the rate with status 400, which otherwise refuses a comment for good.
  judge: (error) =>
    error instanceof Error && error.constructor.name === 'RatelimitedLinearError'
      ? { outcome: 'retry', reason: 'Linear limits the rate', retryAfterSeconds: retryAfterOf(error) ?? 30 }
      : undefined,
};

/** Linear: comments on issues, by an API key. */
export const linear: ShippedConnector = {
  name: 'linear',
  title: 'Linear',
  settings: [
    secret('apiKey', 'LINEAR_API_KEY', 'API key of the user that writes the comments'),
    secret('webhookSecret', 'LINEAR_WEBHOOK_SECRET', 'signing secret of the webhook'),
    optional('userName', 'LINEAR_BOT_USERNAME', 'name by which the bot is mentioned'),
    address('apiUrl', 'LINEAR_API_URL', 'address of the GraphQL API'),
  ],
  matchIndexes: [
    { name: 'issue', fields: ['organization', 'issue'] },
    { name: 'organization', fields: ['organization'] },
  ],
  verification: 'Linear-Signature: HMAC-SHA256 over the body, whose webhookTimestamp may be 5 minutes old',
  open: (settings, tools) => openChatPlatform(chat, settings, tools),
};
