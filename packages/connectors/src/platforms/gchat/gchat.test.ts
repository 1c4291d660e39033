import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Settings } from '../../settings.ts';
import { type Bench, openBench } from '../../testing/bench.ts';
import type { PlatformCall } from '../../testing/fake-platform.ts';
import { createIssuer } from '../../testing/token-issuer.ts';
import { webhookSuite } from '../conformance/webhook-suite.ts';
import { gchat } from './gchat.ts';

const issuer = await createIssuer();
const stranger = await createIssuer();
const claims = { iss: 'chat@system.gserviceaccount.com', aud: '12345' };
const right = await issuer.token(claims);
const forged = await stranger.token(claims);
const elsewhere = await issuer.token({ ...claims, aud: '99999' });
const expired = await issuer.token({ ...claims, exp: Math.floor(Date.now() / 1_000) - 600 });

const chatApi = ({ path }: PlatformCall) => {
  if (path === '/keys') return { json: issuer.keys };
  if (path === '/token') return { json: { access_token: 'ya29', expires_in: 3_600 } };
  return {
    json: { name: 'spaces/A/messages/out', thread: { name: 'spaces/A/threads/T' }, space: { name: 'spaces/A' } },
  };
};

const bearing = (token: string | undefined, payload: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  body: JSON.stringify(payload),
});
const event = (message: Readonly<Record<string, unknown>> = {}, space: Readonly<Record<string, unknown>> = {}) => ({
  chat: {
    eventTime: '2026-01-02T03:04:05Z',
    user: { name: 'users/7', displayName: 'Ada Lovelace', email: 'ada@example.org', type: 'HUMAN' },
    messagePayload: {
      space: { name: 'spaces/A', type: 'ROOM', spaceType: 'SPACE', ...space },
      message: {
        name: 'spaces/A/messages/1',
        createTime: '2026-01-02T03:04:05Z',
        sender: { name: 'users/7', displayName: 'Ada Lovelace', email: 'ada@example.org', type: 'HUMAN' },
        text: 'hello',
        thread: { name: 'spaces/A/threads/T' },
        space: { name: 'spaces/A', type: 'ROOM' },
        ...message,
      },
    },
  },
});

const open = () =>
  openBench({
    connector: gchat,
    settings: (url) => ({
      credentials: JSON.stringify({
        client_email: 'bot@p.iam',
        private_key: issuer.privateKey,
        token_uri: `${url}/token`,
      }),
      projectNumber: '12345',
      apiUrl: url,
      keysUrl: `${url}/keys`,
    }),
    answer: chatApi,
  });

webhookSuite({
  open,
  message: ({ id, text }) => bearing(right, event({ name: `spaces/A/messages/${id}`, text })),
  refused: {
    'a token of another issuer': () => bearing(forged, event()),
    'a token for another project': () => bearing(elsewhere, event()),
    'a token that has expired': () => bearing(expired, event()),
    'no token': () => bearing(undefined, event()),
  },
  reply: { externalConversationId: 'spaces/A', text: 'hi' },
  writing: /spaces\/A\/messages/,
  limited: { status: 429, headers: { 'retry-after': '7' }, json: { error: { code: 429, message: 'quota' } } },
  unauthorized: { status: 401, json: { error: { code: 401, message: 'unauthenticated' } } },
});

describe('Google Chat', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });

  it('sends messages of spaces and direct messages with who wrote them', async () => {
    await bench.webhook(bearing(right, event({ name: 'spaces/A/messages/11' })));
    expect(bench.svc.events.at(-1)).toMatchObject({
      matchFields: { space: 'spaces/A', kind: 'space' },
      externalConversationId: 'spaces/A',
      externalThreadId: 'spaces/A/threads/T',
      externalMessageId: 'spaces/A/messages/11',
      conversationType: 'channel_thread',
      sender: { externalId: 'users/7', displayName: 'Ada Lovelace', kind: 'user' },
      eventTimeMs: String(Date.parse('2026-01-02T03:04:05Z')),
    });
    const dm = { name: 'spaces/D', type: 'DM', spaceType: 'DIRECT_MESSAGE', singleUserBotDm: true };
    await bench.webhook(bearing(right, event({ name: 'spaces/D/messages/1', space: dm }, dm)));
    expect(bench.svc.events.at(-1)).toMatchObject({ externalConversationId: 'spaces/D', conversationType: 'dm' });
  });

  it('writes into threads, with one access token for many replies', async () => {
    for (const id of ['t1', 't2'])
      await bench.deliver({
        deliveryId: id,
        externalConversationId: 'spaces/A',
        externalThreadId: 'spaces/A/threads/T',
        text: 'done',
      });
    const call = bench.platform.callsTo(/spaces\/A\/messages/).at(-1);
    expect(call?.headers['authorization']).toBe('Bearer ya29');
    expect(JSON.parse(call?.body.toString() ?? '')).toMatchObject({ thread: { name: 'spaces/A/threads/T' } });
    expect(bench.platform.callsTo(/^\/token$/)).toHaveLength(1);
  });

  it.each(['{', '{"client_email":"x"}'])('refuses credentials of no use: %s', async (credentials) => {
    const settings = new Settings(gchat.settings, { credentials, projectNumber: '1' });
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    await expect(gchat.open(settings, { log })).rejects.toThrow('credentials');
  });
});
