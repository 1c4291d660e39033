import type { Adapter } from 'chat';
import { type ChatConnector, loadAdapter, openChatPlatform, type Verdict } from '../bridge/index.ts';
import { escapedText } from './escaped-text.ts';
import { address, type ShippedConnector, secret } from './shipped-connector.ts';

interface SlackThread {
  readonly channel: string;
  readonly threadTs: string;
}

interface SlackRaw {
  readonly channel_type?: string;
  readonly thread_ts?: string;
  readonly team?: string;
  readonly team_id?: string;
}

interface SlackInteraction {
  /** Given to each press and each command once. */
  readonly trigger_id: string;
  /** The workspace of a press. */
  readonly team?: { readonly id: string };
  /** The workspace of a command. */
  readonly team_id?: string;
}

/** Errors of the Web API after which no other attempt can help. */
const final = new Set([
  'channel_not_found',
  'is_archived',
  'msg_too_long',
  'no_text',
  'not_in_channel',
  'restricted_action',
  'thread_not_found',
  'user_not_found',
]);
const credential = new Set(['account_inactive', 'invalid_auth', 'not_authed', 'token_expired', 'token_revoked']);

const chat: ChatConnector = {
  // Slack takes 12,000 characters of markdown.
  maxTextLength: 11_000,
  hasIdentity: true,
  open: async (settings, { logger, fileTransport }) => {
    const { createSlackAdapter } = await loadAdapter<typeof import('@chat-adapter/slack')>('@chat-adapter/slack');
    const apiUrl = settings.get('apiUrl');
    return createSlackAdapter({
      botToken: settings.require('botToken'),
      signingSecret: settings.require('signingSecret'),
      logger,
      // svc repeats deliveries by itself and honours Retry-After; an attempt has to end before svc gives it up.
      webClientOptions: { rejectRateLimitedCalls: true, retryConfig: { retries: 0 }, timeout: 10_000 },
      ...(fileTransport === undefined ? {} : { fileTransport }),
      ...(apiUrl === undefined ? {} : { apiUrl: `${apiUrl.replace(/\/+$/, '')}/` }),
    });
  },
  // The adapter acknowledges a retry of an event that it has seen; that one was not taken by svc, which recognises copies itself.
  prepare: (request) => {
    const headers = new Headers(request.headers);
    headers.delete('x-slack-retry-num');
    return new Request(request, { headers });
  },
  // Slack has 25 buttons in a block, 75 characters in a label and 3,000 in a section of text.
  buttons: { most: 25, labelLength: 75, textLength: 2_900, textOf: escapedText },
  interaction: (raw) => {
    const { trigger_id: id, team, team_id: teamId } = raw as SlackInteraction;
    return { id, raw: { team: team?.id ?? teamId } };
  },
  locate: (adapter, { threadId, messageId, raw }) => {
    const { channel, threadTs } = adapter.decodeThreadId(threadId) as SlackThread;
    const { channel_type: type, thread_ts: root, team_id: teamId, team = teamId } = (raw ?? {}) as SlackRaw;
    const thread = root ?? (threadTs === messageId || threadTs === '' ? undefined : threadTs);
    return {
      conversation: channel,
      thread,
      conversationType: typeOf({ channel, type, isInThread: thread !== undefined }),
      matchFields: { channel, ...(team === undefined ? {} : { team }) },
    };
  },
  threadOf: (adapter, { conversation, thread }) =>
    (adapter as Adapter<SlackThread>).encodeThreadId({ channel: conversation, threadTs: thread ?? '' }),
  judge: (error) => judgeCode(slackError(error)),
};

function typeOf(facts: { readonly channel: string; readonly type: string | undefined; readonly isInThread: boolean }) {
  if (facts.type === 'im' || facts.channel.startsWith('D')) return 'dm';
  if (facts.type === 'mpim') return 'group';
  return facts.isInThread ? 'channel_thread' : 'channel';
}

/** The word by which the Web API refuses a call; undefined for other errors. */
function slackError(error: unknown): string | undefined {
  const data = error instanceof Error && 'data' in error ? error.data : undefined;
  const word = typeof data === 'object' && data !== null && 'error' in data ? data.error : undefined;
  return typeof word === 'string' ? word : undefined;
}

function judgeCode(word: string | undefined): Verdict | undefined {
  if (word === undefined) return undefined;
  if (credential.has(word))
    return { outcome: 'retry', reason: `Slack refuses the bot token: ${word}`, isCredentialRefused: true };
  if (final.has(word)) return { outcome: 'rejected', reason: `Slack refuses the message: ${word}` };
  return { outcome: 'retry', reason: `Slack answers ${word}` };
}

/** Slack, by the Events API and a bot token. */
export const slack: ShippedConnector = {
  name: 'slack',
  title: 'Slack',
  settings: [
    secret('botToken', 'SLACK_BOT_TOKEN', 'bot token of the app, xoxb-...'),
    secret('signingSecret', 'SLACK_SIGNING_SECRET', 'signing secret of the app'),
    address('apiUrl', 'SLACK_API_URL', 'address of the Web API, such as https://slack-gov.com/api'),
  ],
  matchIndexes: [
    { name: 'channel', fields: ['team', 'channel'] },
    { name: 'team', fields: ['team'] },
  ],
  verification: 'X-Slack-Signature: HMAC-SHA256 over time and body with the signing secret, at most 5 minutes old',
  open: (settings, tools) => openChatPlatform(chat, settings, tools),
};
