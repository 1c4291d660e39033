import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../testing/bench.ts';
import type { PlatformCall } from '../testing/fake-platform.ts';
import { createIssuer } from '../testing/token-issuer.ts';
import { webhookSuite } from './conformance/webhook-suite.ts';
import { teams } from './teams.ts';

const APP = '11111111-1111-4111-8111-111111111111';
const issuer = await createIssuer();
const stranger = await createIssuer();
let serviceUrl = '';
const claims = () => ({ iss: 'https://api.botframework.com', aud: APP, serviceurl: serviceUrl });
let tokens = { right: '', forged: '', elsewhere: '', expired: '', redirected: '' };

const botFramework = ({ path }: PlatformCall) => {
  if (path === '/keys') return { json: issuer.keys };
  if (path.includes('/oauth2/')) return { json: { access_token: 'eyJ.e30.', token_type: 'Bearer', expires_in: 3_600 } };
  return { status: 201, json: { id: '1700000099' } };
};

const bearing = (token: string | undefined, payload: unknown): RequestInit => ({
  headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  body: JSON.stringify(payload),
});
const activity = (fields: Readonly<Record<string, unknown>> = {}) => ({
  type: 'message',
  id: '1700000001',
  timestamp: '2026-01-02T03:04:05.000Z',
  channelId: 'msteams',
  serviceUrl,
  from: { id: '29:ada', name: 'Ada Lovelace', aadObjectId: 'aad-ada' },
  recipient: { id: `28:${APP}`, name: 'bot' },
  conversation: {
    id: '19:c@thread.tacv2;messageid=1700000001',
    conversationType: 'channel',
    tenantId: 'tenant',
    isGroup: true,
  },
  channelData: { tenant: { id: 'tenant' }, team: { id: '19:team' }, channel: { id: '19:c@thread.tacv2' } },
  text: 'hello',
  textFormat: 'plain',
  entities: [],
  ...fields,
});

const open = async (): Promise<Bench> => {
  const bench = await openBench({
    connector: teams,
    settings: (url) => ({
      appId: APP,
      appPassword: 'secret',
      tenantId: 'tenant',
      keysUrl: `${url}/keys`,
      loginUrl: url,
    }),
    answer: botFramework,
  });
  serviceUrl = `${bench.platform.url}/emea`;
  tokens = {
    right: await issuer.token(claims()),
    forged: await stranger.token(claims()),
    elsewhere: await issuer.token({ ...claims(), aud: 'other' }),
    expired: await issuer.token({ ...claims(), exp: Math.floor(Date.now() / 1_000) - 600 }),
    redirected: await issuer.token({ ...claims(), serviceurl: 'https://elsewhere.example' }),
  };
  return bench;
};
const conversation = () => `${serviceUrl} 19:c@thread.tacv2`;

webhookSuite({
  open,
  message: ({ id, text }) => bearing(tokens.right, activity({ id, text })),
  refused: {
    'a token of another issuer': () => bearing(tokens.forged, activity()),
    'a token for another app': () => bearing(tokens.elsewhere, activity()),
    'a token that has expired': () => bearing(tokens.expired, activity()),
    'a token for another address of replies': () => bearing(tokens.redirected, activity()),
    'no token': () => bearing(undefined, activity()),
  },
  reply: {
    get externalConversationId() {
      return conversation();
    },
    text: 'hi',
  },
  writing: /\/activities/,
  limited: {
    status: 429,
    headers: { 'retry-after': '7' },
    json: { error: { code: 'TooManyRequests', message: 'slow' } },
  },
  unauthorized: { status: 401, json: { error: { code: 'Unauthorized', message: 'no' } } },
});

describe('Microsoft Teams', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });
  const receive = async (fields: Readonly<Record<string, unknown>>) => {
    expect((await bench.webhook(bearing(tokens.right, activity(fields)))).status).toBe(200);
    return bench.svc.events.at(-1);
  };

  it('sends posts, replies and personal chats with who wrote them', async () => {
    expect(await receive({})).toMatchObject({
      matchFields: { tenant: 'tenant', team: '19:team', channel: '19:c@thread.tacv2', kind: 'channel' },
      externalConversationId: conversation(),
      externalMessageId: '1700000001',
      conversationType: 'channel',
      sender: { externalId: '29:ada', displayName: 'Ada Lovelace', kind: 'user' },
      eventTimeMs: String(Date.parse('2026-01-02T03:04:05Z')),
    });
    expect(await receive({ id: '1700000002' })).toMatchObject({
      externalThreadId: '1700000001',
      conversationType: 'channel_thread',
    });
    const personal = { id: 'a:1', conversationType: 'personal', tenantId: 'tenant' };
    expect(
      await receive({ id: '1700000003', conversation: personal, channelData: { tenant: { id: 'tenant' } } }),
    ).toMatchObject({ conversationType: 'dm', externalConversationId: `${serviceUrl} a:1` });
  });

  it('sends a command of its menu, which is a text with a mention, as a message to the bot', async () => {
    const mention = { type: 'mention', text: '<at>bot</at>', mentioned: { id: `28:${APP}`, name: 'bot' } };
    const command = activity({ id: '1700000021', text: '<at>bot</at> ask what?', entities: [mention] });
    for (const _copy of [1, 2]) expect((await bench.webhook(bearing(tokens.right, command))).status).toBe(200);
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.svc.events.at(-1)).toMatchObject({
      externalMessageId: '1700000021',
      sender: { externalId: '29:ada', displayName: 'Ada Lovelace', kind: 'user' },
      text: '@bot ask what?',
      labels: { mention: 'true' },
    });
  });

  it('shows the options of a question as buttons, and sends a press as an answer', async () => {
    const labels = { 'svc.requestOptions': JSON.stringify(['Allow once', 'Deny']) };
    await bench.deliver({ externalConversationId: conversation(), labels, deliveryId: 'q-1', text: 'May it run?' });
    const [card] = JSON.parse(
      bench.platform
        .callsTo(/activities/)
        .at(-1)
        ?.body.toString() ?? '',
    ).attachments;
    expect(card).toMatchObject({
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: {
        body: [{ type: 'TextBlock', text: 'May it run?' }],
        actions: [
          { type: 'Action.Submit', title: 'Allow once', data: { actionId: 'svc:q-1:1' } },
          { type: 'Action.Submit', title: 'Deny', data: { actionId: 'svc:q-1:2' } },
        ],
      },
    });
    const press = activity({
      id: 'f:1',
      replyToId: '1700000099',
      conversation: { ...activity().conversation, id: '19:c@thread.tacv2;messageid=1700000099' },
      text: undefined,
      value: card.content.actions[1].data,
    });
    bench.svc.failures.push({ status: 500 });
    expect((await bench.webhook(bearing(tokens.right, press))).status).toBe(503);
    for (const _copy of [1, 2]) expect((await bench.webhook(bearing(tokens.right, press))).status).toBe(200);
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: `teams:${conversation()}:press:f:1`,
      matchFields: { tenant: 'tenant', team: '19:team', channel: '19:c@thread.tacv2', kind: 'channel' },
      conversationType: 'channel',
      sender: { externalId: '29:ada' },
      text: '2',
      labels: { 'svc.delivery': 'q-1' },
    });
  });

  it('has six buttons with labels of 60 characters below a text of 10,000, and what is more is answered with a number', async () => {
    const ask = async (deliveryId: string, options: readonly string[], text: string) => {
      const before = bench.platform.callsTo(/activities/).length;
      const labels = { 'svc.requestOptions': JSON.stringify(options) };
      await bench.deliver({ externalConversationId: conversation(), labels, deliveryId, text });
      const sent = bench.platform.callsTo(/activities/).slice(before);
      return sent.map(({ body }) =>
        (JSON.parse(body.toString()).attachments ?? []).flatMap(
          ({ content }: { readonly content: { readonly actions: readonly { readonly title: string }[] } }) =>
            content.actions.map(({ title }) => title),
        ),
      );
    };
    expect(await ask('six', ['1', '2', '3', '4', '5', '6'], 'Which?')).toEqual([['1', '2', '3', '4', '5', '6']]);
    expect(await ask('seven', ['1', '2', '3', '4', '5', '6', '7'], 'Which?')).toEqual([[]]);
    expect(await ask('labels', ['a'.repeat(60), 'b'.repeat(61)], 'Which?')).toEqual([
      ['a'.repeat(60), `${'b'.repeat(59)}…`],
    ]);
    expect(await ask('long', ['Yes', 'No'], 'word '.repeat(2_100).trim())).toEqual([[], ['Yes', 'No']]);
  });

  it('does not answer for a button of somebody else', async () => {
    const before = bench.svc.events.length;
    const press = activity({ id: 'f:2', text: undefined, value: { actionId: 'approve' } });
    expect((await bench.webhook(bearing(tokens.right, press))).status).toBe(200);
    expect(bench.svc.events.slice(before)).toEqual([]);
  });

  it('writes into threads at the address of the region', async () => {
    await bench.deliver({
      deliveryId: 't1',
      externalConversationId: conversation(),
      externalThreadId: '1700000001',
      text: 'done',
    });
    const call = bench.platform.callsTo(/activities/).at(-1);
    expect(decodeURIComponent(call?.path ?? '')).toContain(
      '/emea/v3/conversations/19:c@thread.tacv2;messageid=1700000001/activities',
    );
    expect(call?.headers['authorization']).toBe('Bearer eyJ.e30.');
  });

  it('writes into a personal chat, which has no threads', async () => {
    await bench.deliver({
      deliveryId: 'p1',
      externalConversationId: `${serviceUrl} a:1`,
      externalThreadId: '1700000003',
      replyToExternalMessageId: '1700000003',
      text: 'done',
    });
    const call = bench.platform.callsTo(/activities/).at(-1);
    expect(decodeURIComponent(call?.path ?? '')).toContain('/conversations/a:1/activities');
  });
});
