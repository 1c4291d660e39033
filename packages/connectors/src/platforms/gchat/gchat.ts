import type { GoogleChatEvent, GoogleChatSpace } from '@chat-adapter/gchat';
import type { Adapter } from 'chat';
import { type ButtonForm, type ChatConnector, loadAdapter, openChatPlatform } from '../../bridge/index.ts';
import { type Claims, identityTokens } from '../identity-token.ts';
import { address, optional, required, type ShippedConnector, secret } from '../shipped-connector.ts';
import { answeringGoogleChat } from './gchat-adapter.ts';
import { cardText } from './gchat-card.ts';
import { serviceAccountClient } from './service-account.ts';

interface GoogleChatThread {
  readonly spaceName: string;
  readonly threadName?: string;
  readonly isDM?: boolean;
}

type AdapterOptions = NonNullable<Parameters<typeof import('@chat-adapter/gchat').createGoogleChatAdapter>[0]>;

const CHAT_ISSUER = 'chat@system.gserviceaccount.com';
const CHAT_KEYS = `https://www.googleapis.com/service_accounts/v1/jwk/${CHAT_ISSUER}`;
const ACCOUNTS_ISSUER = 'https://accounts.google.com';
const ACCOUNTS_KEYS = 'https://www.googleapis.com/oauth2/v3/certs';

// Google Chat takes messages of 32,000 bytes and names no limit for buttons.
const buttons: ButtonForm = { most: 20, labelLength: 60, textLength: 3_000, textOf: cardText };

const chat: ChatConnector = {
  // Google Chat takes 4,096 characters.
  maxTextLength: 3_800,
  open: async (settings, { logger }) => {
    const { GoogleChatAdapter } = await loadAdapter<typeof import('@chat-adapter/gchat')>('@chat-adapter/gchat');
    const AnsweringAdapter = answeringGoogleChat(GoogleChatAdapter);
    const apiUrl = settings.get('apiUrl');
    const botUserId = settings.get('botUserId');
    const publicUrl = settings.get('publicUrl');
    return new AnsweringAdapter({
      auth: serviceAccountClient(settings) as unknown as AdapterOptions['auth'],
      // `verifier` has checked the request already, with keys of an address that can be set. An empty number keeps the adapter from the
      // variable of the environment, with which it would check again, by other keys.
      disableSignatureVerification: true,
      googleChatProjectNumber: '',
      logger,
      ...(apiUrl === undefined ? {} : { apiUrl }),
      ...(botUserId === undefined ? {} : { botUserId }),
      ...(publicUrl === undefined ? {} : { endpointUrl: publicUrl }),
    } as AdapterOptions);
  },
  verifier: (settings) => {
    const projectNumber = settings.require('projectNumber');
    const publicUrl = settings.get('publicUrl');
    const keysUrl = settings.get('keysUrl');
    const ofProject = identityTokens({
      issuer: CHAT_ISSUER,
      audience: projectNumber,
      keysUrl: keysUrl ?? CHAT_KEYS,
    });
    const ofAddress =
      publicUrl === undefined
        ? async () => undefined
        : identityTokens({ issuer: ACCOUNTS_ISSUER, audience: publicUrl, keysUrl: keysUrl ?? ACCOUNTS_KEYS });
    // Google gives a token for this address to any of its customers who asks: only these accounts are Google Chat.
    const accounts = [CHAT_ISSUER, `service-${projectNumber}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`];
    return async ({ headers }) => {
      if ((await ofProject(headers)) !== undefined) return true;
      const claims: Claims | undefined = await ofAddress(headers);
      return claims?.['email_verified'] === true && accounts.includes(String(claims['email']));
    };
  },
  interaction: (raw) => {
    const { chat } = raw as GoogleChatEvent;
    const clicked = chat?.buttonClickedPayload;
    // A click has no id of its own; copies of it have the same time.
    return { id: [clicked?.message.name, chat?.user?.name, chat?.eventTime].join(' '), raw };
  },
  locate: (adapter, { threadId, raw }) => {
    const { spaceName, threadName, isDM: isMarked = false } = adapter.decodeThreadId(threadId) as GoogleChatThread;
    // The adapter marks the threads of messages only.
    const isDM = isMarked || isDirect((raw as GoogleChatEvent | undefined)?.chat?.buttonClickedPayload?.space);
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

const isDirect = (space: GoogleChatSpace | undefined): boolean =>
  space?.type === 'DM' || space?.spaceType === 'DIRECT_MESSAGE';

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
    address(
      'publicUrl',
      'GOOGLE_CHAT_PUBLIC_URL',
      'address of the webhook as Google calls it, for buttons and for add-ons of Google Workspace',
    ),
    optional('botUserId', 'GOOGLE_CHAT_BOT_USER_ID', 'resource name of the app, users/...'),
    address('apiUrl', 'GOOGLE_CHAT_API_URL', 'address of the API'),
    address('keysUrl', 'GOOGLE_CHAT_KEYS_URL', 'address of the keys with which Google signs webhooks'),
  ],
  matchIndexes: [
    { name: 'space', fields: ['space'] },
    { name: 'kind', fields: ['kind'] },
  ],
  verification: 'Authorization: a token that Google signs for the project or the public address, valid for an hour',
  // A button calls the address that it names, which the connector cannot know by itself: requests may name any host.
  open: (settings, tools) =>
    openChatPlatform(settings.get('publicUrl') === undefined ? chat : { ...chat, buttons }, settings, tools),
};
