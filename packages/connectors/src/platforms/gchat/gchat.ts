import type { Adapter } from 'chat';
import { type ChatConnector, loadAdapter, openChatPlatform } from '../../bridge/index.ts';
import { identityTokens } from '../identity-token.ts';
import { address, optional, required, type ShippedConnector, secret } from '../shipped-connector.ts';
import { serviceAccountClient } from './service-account.ts';

interface GoogleChatThread {
  readonly spaceName: string;
  readonly threadName?: string;
  readonly isDM?: boolean;
}

type AdapterOptions = NonNullable<Parameters<typeof import('@chat-adapter/gchat').createGoogleChatAdapter>[0]>;

const CHAT_ISSUER = 'chat@system.gserviceaccount.com';
const CHAT_KEYS = `https://www.googleapis.com/service_accounts/v1/jwk/${CHAT_ISSUER}`;

const chat: ChatConnector = {
  // Google Chat takes 4,096 characters.
  maxTextLength: 3_800,
  open: async (settings, { logger }) => {
    const { createGoogleChatAdapter } = await loadAdapter<typeof import('@chat-adapter/gchat')>('@chat-adapter/gchat');
    const apiUrl = settings.get('apiUrl');
    const botUserId = settings.get('botUserId');
    return createGoogleChatAdapter({
      auth: serviceAccountClient(settings) as unknown as AdapterOptions['auth'],
      // `verifier` has checked the request already, with keys of an address that can be set.
      disableSignatureVerification: true,
      logger,
      ...(apiUrl === undefined ? {} : { apiUrl }),
      ...(botUserId === undefined ? {} : { botUserId }),
    } as AdapterOptions);
  },
  verifier: (settings) => {
    const read = identityTokens({
      issuer: CHAT_ISSUER,
      audience: settings.require('projectNumber'),
      keysUrl: settings.get('keysUrl') ?? CHAT_KEYS,
    });
    return async ({ headers }) => (await read(headers)) !== undefined;
  },
  locate: (adapter, { threadId }) => {
    const { spaceName, threadName, isDM = false } = adapter.decodeThreadId(threadId) as GoogleChatThread;
    return {
      conversation: spaceName,
      thread: isDM ? undefined : threadName,
      conversationType: isDM ? 'dm' : threadName === undefined ? 'channel' : 'channel_thread',
      matchFields: { space: spaceName, kind: isDM ? 'dm' : 'space' },
    };
  },
  threadOf: (adapter, { conversation, thread, matchFields }) =>
    (adapter as Adapter<GoogleChatThread>).encodeThreadId({
      spaceName: conversation,
      isDM: matchFields['kind'] === 'dm',
      // A reply that asks for a thread where there is none names the message, which is not a thread.
      ...(thread?.includes('/threads/') ? { threadName: thread } : {}),
    }),
};

/** Google Chat, by a Chat app with an HTTP endpoint and a service account. */
export const gchat: ShippedConnector = {
  name: 'gchat',
  title: 'Google Chat',
  settings: [
    secret('credentials', 'GOOGLE_CHAT_CREDENTIALS', 'JSON key of the service account'),
    required(
      'projectNumber',
      'GOOGLE_CHAT_PROJECT_NUMBER',
      'number of the Google Cloud project, the authentication audience',
    ),
    optional('botUserId', 'GOOGLE_CHAT_BOT_USER_ID', 'resource name of the app, users/...'),
    address('apiUrl', 'GOOGLE_CHAT_API_URL', 'address of the API'),
    address('keysUrl', 'GOOGLE_CHAT_KEYS_URL', 'address of the keys with which Google signs webhooks'),
  ],
  matchIndexes: [
    { name: 'space', fields: ['space'] },
    { name: 'kind', fields: ['kind'] },
  ],
  verification: 'Authorization: a token that Google signs for the project, valid for an hour',
  open: (settings, tools) => openChatPlatform(chat, settings, tools),
};
