import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../testing/bench.ts';
import type { PlatformCall } from '../testing/fake-platform.ts';
import { webhookSuite } from './conformance/webhook-suite.ts';
import { linear } from './linear.ts';

const SECRET = 'lin_wh';
const ISSUE = '11111111-1111-4111-8111-111111111111';
const at = '2026-01-02T03:04:05.000Z';

/** The GraphQL API: who the key belongs to, comments. */
const graphql = ({ body }: PlatformCall) => {
  const { query = '', variables } = JSON.parse(body.toString() || '{}');
  if (query.includes('commentCreate'))
    return { json: { data: { commentCreate: { success: true, lastSyncId: 1, comment: { id: 'c900' } } } } };
  if (query.includes('comment('))
    return {
      json: {
        data: {
          comment: {
            id: variables?.id ?? 'c900',
            body: 'hi',
            createdAt: at,
            updatedAt: at,
            url: 'u',
            issueId: ISSUE,
            issue: { id: ISSUE },
            user: { id: 'bot' },
            reactions: [],
            reactionData: {},
          },
        },
      },
    };
  if (query.includes('user('))
    return {
      json: { data: { user: { id: 'u1', displayName: 'ada', name: 'Ada Lovelace', email: 'ada@example.org' } } },
    };
  return {
    json: {
      data: {
        viewer: { id: 'bot', displayName: 'svc-bot', name: 'svc', organization: { id: 'org1', urlKey: 'acme' } },
        organization: { id: 'org1', urlKey: 'acme' },
      },
    },
  };
};

const signed = (payload: object, options: { secret?: string; time?: number } = {}): RequestInit => {
  const body = JSON.stringify({ webhookTimestamp: options.time ?? Date.now(), ...payload });
  const signature = createHmac('sha256', options.secret ?? SECRET)
    .update(body)
    .digest('hex');
  return {
    headers: { 'content-type': 'application/json', 'linear-signature': signature, 'linear-event': 'Comment' },
    body,
  };
};
const comment = (data: Readonly<Record<string, unknown>> = {}, action = 'create') => ({
  type: 'Comment',
  action,
  createdAt: at,
  organizationId: 'org1',
  webhookId: 'w1',
  url: 'https://linear.app/acme/issue/A-1',
  actor: {
    id: 'u1',
    type: 'user',
    name: 'Ada Lovelace',
    email: 'ada@example.org',
    url: 'https://linear.app/acme/profiles/ada',
  },
  data: {
    id: 'c1',
    body: 'hello',
    issueId: ISSUE,
    userId: 'u1',
    createdAt: at,
    updatedAt: at,
    user: { id: 'u1', name: 'Ada Lovelace', email: 'ada@example.org', url: 'https://linear.app/acme/profiles/ada' },
    ...data,
  },
});

const open = () =>
  openBench({
    connector: linear,
    settings: (url) => ({ apiKey: 'lin_api', webhookSecret: SECRET, userName: 'svc-bot', apiUrl: `${url}/graphql` }),
    answer: graphql,
  });

webhookSuite({
  open,
  message: ({ id, text }) => signed(comment({ id: `c${id}`, body: text })),
  refused: {
    'a wrong signature': () => signed(comment(), { secret: 'wrong' }),
    'a time of ten minutes ago': () => signed(comment(), { time: Date.now() - 600_000 }),
    'no signature': () => ({ body: JSON.stringify({ ...comment(), webhookTimestamp: Date.now() }) }),
  },
  reply: { externalConversationId: ISSUE, text: 'hi' },
  writing: /commentCreate/,
  limited: {
    status: 429,
    headers: { 'retry-after': '7' },
    json: { errors: [{ message: 'Rate limit exceeded', extensions: { type: 'ratelimited' } }] },
  },
  unauthorized: {
    status: 401,
    json: { errors: [{ message: 'Authentication required', extensions: { type: 'authentication error' } }] },
  },
});

describe('Linear', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });

  it('sends comments and replies with who wrote them', async () => {
    await bench.webhook(signed(comment({ id: 'c11', body: '@svc-bot hello' })));
    expect(bench.svc.events.at(-1)).toMatchObject({
      matchFields: { organization: 'org1', issue: ISSUE },
      externalConversationId: ISSUE,
      externalMessageId: 'c11',
      conversationType: 'channel',
      sender: { externalId: 'u1', displayName: 'Ada Lovelace', kind: 'user' },
      labels: { mention: 'true' },
    });
    await bench.webhook(signed(comment({ id: 'c12', parentId: 'c11' })));
    expect(bench.svc.events.at(-1)).toMatchObject({ externalThreadId: 'c11', conversationType: 'channel_thread' });
  });

  it('waits when Linear limits the rate with status 400', async () => {
    const limited = {
      status: 400,
      json: { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED', type: 'ratelimited' } }] },
    };
    bench.platform.faults.push({ path: /commentCreate/, answer: limited });
    const reply = { deliveryId: 'limited-400', externalConversationId: ISSUE, text: 'busy' };
    const limitedAnswer = await bench.deliver(reply);
    expect([limitedAnswer.status, await limitedAnswer.text()]).toEqual([429, expect.stringContaining('rate')]);
    expect((await bench.deliver(reply)).status).toBe(200);
  });

  it('writes into threads', async () => {
    await bench.deliver({ deliveryId: 't1', externalConversationId: ISSUE, externalThreadId: 'c11', text: 'done' });
    const created = bench.platform.calls
      .map(({ body }) => JSON.parse(body.toString()))
      .findLast(({ query }) => query.includes('commentCreate'));
    expect(created.variables.input).toMatchObject({ issueId: ISSUE, parentId: 'c11', body: 'done' });
  });
});
