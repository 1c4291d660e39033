import type { Adapter } from 'chat';
import { type ChatConnector, loadAdapter, openChatPlatform } from '../bridge/index.ts';
import { accessTokens } from './access-token.ts';
import { identityTokens } from './identity-token.ts';
import { address, optional, required, type ShippedConnector, secret } from './shipped-connector.ts';

interface TeamsThread {
  readonly conversationId: string;
  readonly serviceUrl: string;
  readonly conversationType?: 'channel' | 'groupChat' | 'personal';
  readonly replyToId?: string;
}

interface TeamsRaw {
  readonly conversation?: { readonly conversationType?: string; readonly tenantId?: string };
  readonly channelData?: {
    readonly tenant?: { readonly id?: string };
    readonly team?: { readonly id?: string };
    readonly channel?: { readonly id?: string };
  };
}

const ISSUER = 'https://api.botframework.com';
const KEYS = 'https://login.botframework.com/v1/.well-known/keys';
const LOGIN = 'https://login.microsoftonline.com';
const ROOT = ';messageid=';
/** Only channels have threads; a reply in another chat that asks for one names the message that it answers. */
const CHANNEL = /@thread\.(?:tacv2|skype)$/;

const chat: ChatConnector = {
  // Teams takes about 28 KB.
  maxTextLength: 12_000,
  // Teams shows six actions of a card.
  buttons: { most: 6, labelLength: 60, textLength: 10_000 },
  interaction: (raw) => ({ id: (raw as { readonly id: string }).id, raw }),
  open: async (settings, { logger }) => {
    const { createTeamsAdapter } = await loadAdapter<typeof import('@chat-adapter/teams')>('@chat-adapter/teams');
    const tenantId = settings.get('tenantId');
    const login = `${settings.get('loginUrl') ?? LOGIN}/${tenantId ?? 'botframework.com'}/oauth2/v2.0/token`;
    const tokens = new Map<string, () => Promise<string>>();
    const tokenFor = (scope: string): Promise<string> => {
      const form = {
        grant_type: 'client_credentials',
        client_id: settings.require('appId'),
        client_secret: settings.require('appPassword'),
        scope,
      };
      const get = tokens.get(scope) ?? accessTokens(login, async () => form);
      tokens.set(scope, get);
      return get();
    };
    return createTeamsAdapter({
      appId: settings.require('appId'),
      ...(tenantId === undefined ? {} : { appTenantId: tenantId, appType: 'SingleTenant' as const }),
      token: (scope) => tokenFor([scope].flat().join(' ')),
      // `verifier` has checked the request already, with keys of an address that can be set.
      webhookVerifier: () => true,
      logger,
    });
  },
  verifier: (settings) => {
    const read = identityTokens({
      issuer: ISSUER,
      audience: settings.require('appId'),
      keysUrl: settings.get('keysUrl') ?? KEYS,
    });
    return async ({ headers, body }) => {
      const claims = await read(headers);
      // Replies go to the address in the body: a token for another one must not redirect them.
      return claims !== undefined && claims['serviceurl'] === serviceUrlOf(body);
    };
  },
  locate: (adapter, { threadId, messageId, raw }) => {
    const { conversationId, serviceUrl } = adapter.decodeThreadId(threadId) as TeamsThread;
    const { conversation, channelData } = (raw ?? {}) as TeamsRaw;
    const [base = '', root] = conversationId.split(ROOT);
    const thread = root === messageId ? undefined : root;
    const type = conversation?.conversationType;
    const fields = {
      tenant: channelData?.tenant?.id ?? conversation?.tenantId,
      team: channelData?.team?.id,
      channel: channelData?.channel?.id,
      kind: type,
    };
    return {
      // Every region has its own address for replies.
      conversation: `${serviceUrl} ${base}`,
      thread,
      conversationType: typeOf(type, thread !== undefined),
      matchFields: Object.fromEntries(
        Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
    };
  },
  threadOf: (adapter, { conversation, thread }) => {
    const [serviceUrl = '', base = ''] = conversation.split(' ');
    const conversationId = thread === undefined || !CHANNEL.test(base) ? base : `${base}${ROOT}${thread}`;
    return (adapter as Adapter<TeamsThread>).encodeThreadId({ conversationId, serviceUrl });
  },
};

function typeOf(type: string | undefined, isInThread: boolean) {
  if (type === 'personal') return 'dm';
  if (type === 'groupChat') return 'group';
  return isInThread ? 'channel_thread' : 'channel';
}

function serviceUrlOf(body: string): unknown {
  try {
    return (JSON.parse(body) as { readonly serviceUrl?: unknown }).serviceUrl ?? '';
  } catch {
    // A body that is not JSON names no address, so that no token fits it.
    return '';
  }
}

/** Microsoft Teams, by a bot registration. */
export const teams: ShippedConnector = {
  name: 'teams',
  title: 'Microsoft Teams',
  settings: [
    required('appId', 'TEAMS_APP_ID', 'id of the bot registration'),
    secret('appPassword', 'TEAMS_APP_PASSWORD', 'client secret of the bot registration'),
    optional('tenantId', 'TEAMS_APP_TENANT_ID', 'tenant of a bot that serves one organisation'),
    address('keysUrl', 'TEAMS_KEYS_URL', 'address of the keys with which Microsoft signs webhooks, for other clouds'),
    address('loginUrl', 'TEAMS_LOGIN_URL', 'address that issues access tokens, for other clouds'),
  ],
  matchIndexes: [
    { name: 'channel', fields: ['tenant', 'team', 'channel'] },
    { name: 'team', fields: ['tenant', 'team'] },
    { name: 'kind', fields: ['tenant', 'kind'] },
    { name: 'tenant', fields: ['tenant'] },
  ],
  verification: 'Authorization: a token that the Bot Framework signs for the app and for the address of replies',
  open: (settings, tools) => openChatPlatform(chat, settings, tools),
};
