import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../testing/bench.ts';
import type { PlatformCall } from '../testing/fake-platform.ts';
import { webhookSuite } from './conformance/webhook-suite.ts';
import { github } from './github.ts';

const SECRET = 'webhook-secret';
const ADA = { id: 7, login: 'ada', type: 'User' };
const BOT = { id: 99, login: 'svc-bot', type: 'User' };
const repository = {
  id: 1,
  name: 'engine',
  full_name: 'acme/engine',
  owner: { id: 2, login: 'acme', type: 'Organization' },
};
const at = '2026-01-02T03:04:05Z';
const comment = (id: number, fields = {}) => ({
  id,
  body: 'hello',
  user: ADA,
  created_at: at,
  updated_at: at,
  html_url: 'https://github.com/acme/engine/issues/3',
  ...fields,
});

const restApi = ({ path }: PlatformCall) =>
  path === '/user' ? { json: BOT } : { status: 201, json: comment(900, { user: BOT }) };

const signed = (event: string, payload: unknown, secret = SECRET): RequestInit => {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': 'd1',
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  };
};
const issueComment = (fields: Readonly<Record<string, unknown>> = {}, action = 'created') => ({
  action,
  issue: { number: 3, title: 'It rattles' },
  comment: comment(1, fields),
  repository,
  sender: ADA,
});

const open = () =>
  openBench({
    connector: github,
    settings: (url) => ({ token: 'ghp_1', webhookSecret: SECRET, userName: 'svc-bot', apiUrl: url }),
    answer: restApi,
  });

webhookSuite({
  open,
  message: ({ id, text }) => signed('issue_comment', issueComment({ id: Number(id), body: text })),
  refused: {
    'a wrong signature': () => signed('issue_comment', issueComment(), 'wrong'),
    'no signature': () => ({ headers: { 'x-github-event': 'issue_comment' }, body: JSON.stringify(issueComment()) }),
  },
  reply: { externalConversationId: 'acme/engine/issues/3', text: 'hi' },
  writing: /\/comments/,
  limited: { status: 429, headers: { 'retry-after': '7' }, json: { message: 'secondary rate limit' } },
  unauthorized: { status: 401, json: { message: 'Bad credentials' } },
});

describe('GitHub', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });

  it('sends comments of issues and of reviews with who wrote them', async () => {
    await bench.webhook(signed('issue_comment', issueComment({ id: 11, body: '@svc-bot why?' })));
    expect(bench.svc.events.at(-1)).toMatchObject({
      matchFields: { owner: 'acme', repository: 'acme/engine' },
      externalConversationId: 'acme/engine/issues/3',
      externalMessageId: '11',
      conversationType: 'channel',
      sender: { externalId: '7', displayName: 'ada', kind: 'user' },
      labels: { mention: 'true' },
      eventTimeMs: String(Date.parse(at)),
    });
    const review = {
      action: 'created',
      comment: {
        ...comment(22),
        in_reply_to_id: 21,
        path: 'a.ts',
        diff_hunk: '',
        commit_id: 'c',
        original_commit_id: 'c',
      },
      pull_request: { id: 5, number: 4, title: 'Fix', state: 'open', body: null, html_url: '', user: ADA },
      repository,
      sender: ADA,
    };
    await bench.webhook(signed('pull_request_review_comment', review));
    expect(bench.svc.events.at(-1)).toMatchObject({
      externalConversationId: 'acme/engine/pull/4',
      externalThreadId: '21',
      conversationType: 'channel_thread',
    });
  });

  it.each([
    [
      'in all',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Math.floor(Date.now() / 1_000) + 900) },
      /^(89\d|900)$/,
    ],
    ['of writing', { 'retry-after': '7' }, /^7$/],
    ['of writing, without a time', {}, /^60$/],
  ])('waits when GitHub limits the rate %s with 403', async (name, headers, seconds) => {
    const limited = { status: 403, headers, json: { message: 'You have exceeded a secondary rate limit' } };
    bench.platform.faults.push({ path: /comments/, answer: limited });
    const reply = { externalConversationId: 'acme/engine/issues/3', deliveryId: name, text: 'busy' };
    const answer = await bench.deliver(reply);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, expect.stringMatching(seconds)]);
    bench.platform.faults.push({ path: /comments/, answer: { status: 403, json: { message: 'Must have access' } } });
    expect(await (await bench.deliver(reply)).json()).toMatchObject({ disposition: 'rejected' });
  });

  it('leaves its own comments and events without comments alone', async () => {
    const before = bench.svc.outcomes.length;
    await bench.webhook(signed('issue_comment', { ...issueComment({ id: 12, user: BOT }), sender: BOT }));
    await bench.webhook(signed('ping', { zen: 'Keep it simple.' }));
    await bench.webhook(signed('push', { ref: 'main', repository }));
    expect(bench.svc.outcomes).toHaveLength(before);
  });

  it('answers a comment of a pull request outside of reviews with another comment', async () => {
    const reply = {
      deliveryId: 'p1',
      externalConversationId: 'acme/engine/pull/4',
      externalThreadId: '11',
      replyToExternalMessageId: '11',
      text: 'done',
    };
    bench.platform.faults.push({
      path: /comments\/11\/replies/,
      answer: { status: 404, json: { message: 'Not Found' } },
    });
    expect(await (await bench.deliver(reply)).json()).toMatchObject({ accepted: true });
    expect(bench.platform.calls.at(-1)?.path).toBe('/repos/acme/engine/issues/4/comments');
  });

  it('writes into the thread of a review', async () => {
    await bench.deliver({
      deliveryId: 'r1',
      externalConversationId: 'acme/engine/pull/4',
      externalThreadId: '21',
      text: 'done',
    });
    expect(bench.platform.calls.at(-1)?.path).toBe('/repos/acme/engine/pulls/4/comments/21/replies');
  });

  it('needs a token or an app', async () => {
    const { Settings } = await import('../settings.ts');
    const settings = new Settings(github.settings, { webhookSecret: 'x' });
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    await expect(github.open(settings, { log })).rejects.toThrow(/token is missing/);
  });
});
