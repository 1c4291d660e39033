import type { Adapter } from 'chat';
import { type ChatConnector, loadAdapter, openChatPlatform, type Verdict } from '../bridge/index.ts';
import { SettingError, type Settings } from '../settings.ts';
import { address, optional, optionalSecret, type ShippedConnector, secret } from './shipped-connector.ts';

interface GitHubThread {
  readonly owner: string;
  readonly repo: string;
  readonly prNumber: number;
  readonly reviewCommentId?: number;
  readonly type?: 'pr' | 'issue';
}

const chat: ChatConnector = {
  // GitHub takes 65,536 characters.
  maxTextLength: 60_000,
  open: async (settings, { logger }) => {
    const { createGitHubAdapter } = await loadAdapter<typeof import('@chat-adapter/github')>('@chat-adapter/github');
    const apiUrl = settings.get('apiUrl');
    const userName = settings.get('userName');
    return createGitHubAdapter({
      ...credentialsOf(settings),
      webhookSecret: settings.require('webhookSecret'),
      // The adapter asks for a type of its own copy of the SDK; loggers of both are the same.
      logger: logger as never,
      ...(apiUrl === undefined ? {} : { apiUrl }),
      ...(userName === undefined ? {} : { userName }),
    });
  },
  locate: (adapter, { threadId }) => {
    const { owner, repo, prNumber, reviewCommentId, type } = adapter.decodeThreadId(threadId) as GitHubThread;
    return {
      // The path of the page, which tells issues and pull requests apart.
      conversation: `${owner}/${repo}/${type === 'issue' ? 'issues' : 'pull'}/${prNumber}`,
      thread: reviewCommentId === undefined ? undefined : String(reviewCommentId),
      conversationType: reviewCommentId === undefined ? 'channel' : 'channel_thread',
      matchFields: { owner, repository: `${owner}/${repo}` },
    };
  },
  threadOf: (adapter, { conversation, thread }) => {
    const [owner = '', repo = '', kind, number] = conversation.split('/');
    const isIssue = kind === 'issues';
    return (adapter as Adapter<GitHubThread>).encodeThreadId({
      owner,
      repo,
      prNumber: Number(number),
      type: isIssue ? 'issue' : 'pr',
      // Only review comments have threads; a reply to another comment is one more comment.
      ...(!isIssue && thread !== undefined && /^\d+$/.test(thread) ? { reviewCommentId: Number(thread) } : {}),
    });
  },
  judge: (error) => judgeLimit(error, Date.now()),
};

interface GitHubFailure {
  readonly status?: number;
  readonly message?: string;
  readonly response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
}

/** GitHub limits the rate with 403 as well, which otherwise refuses a comment for good. */
function judgeLimit(error: unknown, nowMs: number): Verdict | undefined {
  const { status, message = '', response } = (error ?? {}) as GitHubFailure;
  if (status !== 403 && status !== 429) return undefined;
  const { 'retry-after': after, 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset } = response?.headers ?? {};
  if (after === undefined && left !== '0' && !/rate limit/i.test(message)) return undefined;
  const seconds = after === undefined ? Number(reset) - nowMs / 1_000 : Number(after);
  return {
    outcome: 'retry',
    reason: 'GitHub limits the rate',
    retryAfterSeconds: Number.isFinite(seconds) ? Math.max(Math.ceil(seconds), 1) : 60,
  };
}

/** A personal token, or an app that is installed in one organisation. */
function credentialsOf(settings: Settings) {
  const token = settings.get('token');
  if (token !== undefined) return { token };
  const appId = settings.get('appId');
  if (appId === undefined)
    throw new SettingError('token', 'token is missing; or set appId, privateKey and installationId');
  const installationId = Number(settings.require('installationId'));
  if (!Number.isSafeInteger(installationId)) throw new SettingError('installationId', 'installationId is not a number');
  return { appId, privateKey: settings.require('privateKey'), installationId };
}

/** GitHub: comments on issues and pull requests, by a token or an app. */
export const github: ShippedConnector = {
  name: 'github',
  title: 'GitHub',
  settings: [
    secret('webhookSecret', 'GITHUB_WEBHOOK_SECRET', 'secret of the webhook'),
    optionalSecret('token', 'GITHUB_TOKEN', 'access token that may write comments'),
    optional('appId', 'GITHUB_APP_ID', 'id of a GitHub App, in place of a token'),
    optionalSecret('privateKey', 'GITHUB_PRIVATE_KEY', 'private key of the GitHub App, PEM'),
    optional('installationId', 'GITHUB_INSTALLATION_ID', 'installation of the GitHub App'),
    optional('userName', 'GITHUB_BOT_USERNAME', 'name by which the bot is mentioned'),
    address('apiUrl', 'GITHUB_API_URL', 'address of the API of a GitHub Enterprise server'),
  ],
  matchIndexes: [
    { name: 'repository', fields: ['repository'] },
    { name: 'owner', fields: ['owner'] },
  ],
  verification: 'X-Hub-Signature-256: HMAC-SHA256 over the body with the webhook secret',
  open: (settings, tools) => openChatPlatform(chat, settings, tools),
};
