import type { Adapter } from 'chat';
import { type ChatConnector, loadAdapter, openChatPlatform } from '../bridge/index.ts';
import { SettingError, type Settings } from '../settings.ts';
import { accessTokens } from './access-token.ts';
import { identityTokens } from './identity-token.ts';
import { address, optional, required, type ShippedConnector, secret } from './shipped-connector.ts';

interface GoogleChatThread {
  readonly spaceName: string;
  readonly threadName?: string;
  readonly isDM?: boolean;
}

interface ServiceAccount {
  readonly client_email: string;
  readonly private_key: string;
  readonly token_uri: string;
}

type AdapterOptions = NonNullable<Parameters<typeof import('@chat-adapter/gchat').createGoogleChatAdapter>[0]>;

const CHAT_ISSUER = 'chat@system.gserviceaccount.com';
const CHAT_KEYS = `https://www.googleapis.com/service_accounts/v1/jwk/${CHAT_ISSUER}`;
const SCOPE = 'https://www.googleapis.com/auth/chat.bot';

const chat: ChatConnector = {
  // Google Chat takes 4,096 characters.
  maxTextLength: 3_800,
  open: async (settings, { logger }) => {
    const { createGoogleChatAdapter } = await loadAdapter<typeof import('@chat-adapter/gchat')>('@chat-adapter/gchat');
    const apiUrl = settings.get('apiUrl');
    const botUserId = settings.get('botUserId');
    return createGoogleChatAdapter({
      auth: clientOf(readAccount(settings)) as unknown as AdapterOptions['auth'],
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

function readAccount(settings: Settings): ServiceAccount {
  const text = settings.require('credentials');
  try {
    const account = JSON.parse(text) as Partial<ServiceAccount>;
    const { client_email, private_key, token_uri } = account;
    if (client_email !== undefined && private_key !== undefined && token_uri !== undefined)
      return { client_email, private_key, token_uri };
  } catch (cause) {
    throw new SettingError('credentials', 'credentials is not JSON', { cause });
  }
  throw new SettingError('credentials', 'credentials has no client_email, private_key or token_uri');
}

/** What the API client of Google asks of its authentication: to send a request with a token. */
function clientOf(account: ServiceAccount) {
  const token = accessTokens(account.token_uri, async () => {
    const { importPKCS8, SignJWT } = await import('jose');
    const assertion = await new SignJWT({ scope: SCOPE })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(account.client_email)
      .setAudience(account.token_uri)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(await importPKCS8(account.private_key, 'RS256'));
    return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
  });
  return {
    getRequestHeaders: async () => new Headers({ authorization: `Bearer ${await token()}` }),
    request: async (options: GoogleRequest) => await send(options, await token()),
  };
}

interface GoogleRequest {
  readonly url: string | URL;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
}

async function send({ url, method = 'GET', params = {}, data }: GoogleRequest, token: string) {
  const address = new URL(url);
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) address.searchParams.set(name, String(value));
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(data === undefined ? {} : { body: typeof data === 'string' ? data : JSON.stringify(data) }),
    signal: AbortSignal.timeout(10_000),
  });
  const body: unknown = await response.json().catch(() => ({}));
  const { status, headers } = response;
  if (response.ok) return { status, headers, data: body, config: {} };
  throw Object.assign(new Error(`Google Chat answered ${status}`), {
    status,
    code: status,
    response: { status, data: body, headers },
  });
}

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
