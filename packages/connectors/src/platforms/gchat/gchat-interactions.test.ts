import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bench, openBench } from '../../testing/bench.ts';
import type { PlatformCall } from '../../testing/fake-platform.ts';
import { createIssuer } from '../../testing/token-issuer.ts';
import { gchat } from './gchat.ts';

const PUBLIC_URL = 'https://chat.example.org/webhook';
const issuer = await createIssuer();
const stranger = await createIssuer();
const projectClaims = { iss: 'chat@system.gserviceaccount.com', aud: '12345' };
const addressClaims = {
  iss: 'https://accounts.google.com',
  aud: PUBLIC_URL,
  email: 'service-12345@gcp-sa-gsuiteaddons.iam.gserviceaccount.com',
  email_verified: true,
};
const ofProject = await issuer.token(projectClaims);
const ofAddress = await issuer.token(addressClaims);

const ADA = { name: 'users/7', displayName: 'Ada Lovelace', email: 'ada@example.org', type: 'HUMAN' };
const BOB = { name: 'users/8', displayName: 'Bob <Builder>', email: 'bob@example.org', type: 'HUMAN' };
const SPACE = { name: 'spaces/A', type: 'ROOM', spaceType: 'SPACE' };
const DIRECT = { name: 'spaces/D', type: 'DM', spaceType: 'DIRECT_MESSAGE' };
const TIME = '2026-01-02T03:04:05.678901Z';

type Fields = Readonly<Record<string, unknown>>;
const message = (fields: Fields = {}) => ({
  name: 'spaces/A/messages/1',
  createTime: '2026-01-02T03:04:05Z',
  sender: ADA,
  text: 'hello',
  thread: { name: 'spaces/A/threads/T' },
  space: SPACE,
  ...fields,
});
/** An event for a Chat app. */
const interaction = (type: string, fields: Fields = {}) => ({
  type,
  eventTime: TIME,
  user: ADA,
  space: SPACE,
  message: message(),
  ...fields,
});
/** An event for an add-on of Google Workspace. */
const addOn = (payload: Fields, commonEventObject: Fields = {}) => ({
  commonEventObject,
  chat: { user: ADA, eventTime: TIME, ...payload },
});
const signed = (payload: unknown, token = ofProject): RequestInit => ({
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  body: JSON.stringify(payload),
});

const chatApi = ({ path }: PlatformCall) => {
  if (path === '/keys') return { json: issuer.keys };
  if (path === '/token') return { json: { access_token: 'ya29', expires_in: 3_600 } };
  return { json: { name: 'spaces/A/messages/out', thread: { name: 'spaces/A/threads/T' }, space: SPACE } };
};
const open = (more: Readonly<Record<string, string>> = { publicUrl: PUBLIC_URL }) =>
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
      ...more,
    }),
    answer: chatApi,
  });

let bench: Bench;
beforeAll(async () => {
  bench = await open();
});
afterAll(async () => {
  await bench.close();
});

const written = () =>
  bench.platform.callsTo(/spaces\/[AD]\/messages/).map(({ body }) => JSON.parse(body.toString() || '{}'));
const question = (deliveryId: string, more: Fields = {}) => ({
  deliveryId,
  externalConversationId: 'spaces/A',
  externalThreadId: 'spaces/A/threads/T',
  matchFields: { space: 'spaces/A', kind: 'space' },
  labels: { 'svc.requestOptions': JSON.stringify(['Allow once', 'Deny']) },
  text: 'May **rm <x>** run?\n\n1. Allow once',
  ...more,
});
const button = (text: string, actionId: string) => ({
  text,
  onClick: { action: { function: PUBLIC_URL, parameters: [{ key: 'actionId', value: actionId }] } },
});
/** A question as Google Chat keeps it. */
const asked = (id: string, fields: Fields = {}) =>
  message({
    name: `spaces/A/messages/${id}`,
    sender: { name: 'users/99', displayName: 'svc', type: 'BOT' },
    cardsV2: [
      {
        cardId: 'c',
        card: {
          sections: [
            {
              widgets: [
                { textParagraph: { text: 'May it run?' } },
                { buttonList: { buttons: [button('Allow once', `svc:${id}:1`), button('Deny', `svc:${id}:2`)] } },
              ],
            },
          ],
        },
      },
    ],
    ...fields,
  });
const answered = (text: string) => [
  {
    cardId: 'c',
    card: { sections: [{ widgets: [{ textParagraph: { text: 'May it run?' } }, { textParagraph: { text } }] }] },
  },
];
const press = (id: string, fields: Fields = {}) =>
  interaction('CARD_CLICKED', {
    message: asked(id),
    action: { actionMethodName: PUBLIC_URL, parameters: [{ key: 'actionId', value: `svc:${id}:2` }] },
    ...fields,
  });
const answerTo = async (payload: unknown, token = ofProject) => {
  const response = await bench.webhook(signed(payload, token));
  return { status: response.status, json: response.status === 200 ? await response.json() : undefined };
};

describe('a question in Google Chat', () => {
  it('is a card with buttons that call the public address', async () => {
    expect((await bench.deliver(question('q-1'))).status).toBe(200);
    expect(written().at(-1)).toMatchObject({
      thread: { name: 'spaces/A/threads/T' },
      cardsV2: [
        {
          card: {
            sections: [
              {
                widgets: [
                  { textParagraph: { text: 'May <b>rm &lt;x&gt;</b> run?<br><br>1. Allow once' } },
                  { buttonList: { buttons: [button('Allow once', 'svc:q-1:1'), button('Deny', 'svc:q-1:2')] } },
                ],
              },
            ],
          },
        },
      ],
    });
    expect(written().at(-1)).not.toHaveProperty('text');
  });

  it('has numbers only where no public address is set, or there are too many options', async () => {
    const options = JSON.stringify(Array.from({ length: 21 }, (_none, index) => `option ${index}`));
    await bench.deliver(question('q-many', { labels: { 'svc.requestOptions': options }, text: '1. option 0' }));
    expect(written().at(-1)).toEqual({ text: '1. option 0', thread: { name: 'spaces/A/threads/T' } });
    const other = await open({});
    // The address of a request is not trusted: anyone may name a host.
    await other.webhook(signed(interaction('MESSAGE')));
    await other.deliver(question('q-2', { text: '1. Allow once\n2. Deny' }));
    const [call] = other.platform.callsTo(/spaces\/A\/messages/);
    expect(JSON.parse(call?.body.toString() ?? '')).toEqual({
      text: '1. Allow once\n2. Deny',
      thread: { name: 'spaces/A/threads/T' },
    });
    await other.close();
  });

  it.each([
    ['limits the rate', 429, 429],
    ['fails', 503, 503],
  ])('is sent again, with its buttons and once, when Google Chat %s', async (_what, status, expected) => {
    const before = written().length;
    bench.platform.faults.push({
      path: /spaces\/A\/messages/,
      answer: { status, json: { error: { code: status, message: 'not now' } } },
    });
    expect((await bench.deliver(question(`q-again-${status}`))).status).toBe(expected);
    expect((await bench.deliver(question(`q-again-${status}`))).status).toBe(200);
    expect(await (await bench.deliver(question(`q-again-${status}`))).json()).toMatchObject({
      disposition: 'duplicate',
    });
    const [refused, taken, ...more] = written().slice(before);
    expect(more).toEqual([]);
    expect(taken.cardsV2[0].card).toEqual(refused.cardsV2[0].card);
  });
});

describe('a press of a button in Google Chat', () => {
  it('answers its question once, and the card says so once svc has it', async () => {
    const update = { actionResponse: { type: 'UPDATE_MESSAGE' }, cardsV2: answered('Ada Lovelace: Deny') };
    bench.svc.failures.push({ status: 500 });
    expect((await answerTo(press('p-1'))).status).toBe(503);
    for (const _copy of [1, 2]) expect(await answerTo(press('p-1'))).toEqual({ status: 200, json: update });
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: `gchat:spaces/A:press:spaces/A/messages/p-1 users/7 ${TIME}`,
      matchFields: { space: 'spaces/A', kind: 'space' },
      externalConversationId: 'spaces/A',
      externalThreadId: 'spaces/A/threads/T',
      sender: { externalId: 'users/7', displayName: 'Ada Lovelace', kind: 'user' },
      text: '2',
      labels: { 'svc.delivery': 'p-1' },
    });
  });

  it('leaves the buttons alone where the person may not answer, or the question is closed', async () => {
    bench.svc.questions.set('p-2', { approvers: ['users/8'], isOpen: true });
    const before = bench.svc.events.length;
    expect(await answerTo(press('p-2'))).toEqual({ status: 200, json: {} });
    expect(bench.svc.outcomes.at(-1)).toBe('IGNORED');
    expect(bench.svc.events).toHaveLength(before);
    expect(await answerTo(press('p-2', { user: BOB }))).toEqual({
      status: 200,
      json: { actionResponse: { type: 'UPDATE_MESSAGE' }, cardsV2: answered('Bob &lt;Builder&gt;: Deny') },
    });
    const again = press('p-2', { user: BOB, eventTime: '2026-01-02T03:05:00Z' });
    expect(await answerTo(again)).toEqual({ status: 200, json: {} });
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'IGNORED']);
  });

  it('is answered in the form for add-ons where the app is one', async () => {
    const clicked = { space: DIRECT, message: asked('p-3', { space: DIRECT }) };
    const payload = addOn({ buttonClickedPayload: clicked }, { parameters: { actionId: 'svc:p-3:1' } });
    expect(await answerTo(payload, ofAddress)).toEqual({
      status: 200,
      json: {
        hostAppDataAction: {
          chatDataAction: { updateMessageAction: { message: { cardsV2: answered('Ada Lovelace: Allow once') } } },
        },
      },
    });
    expect(bench.svc.events.at(-1)).toMatchObject({
      matchFields: { space: 'spaces/D', kind: 'dm' },
      externalConversationId: 'spaces/D',
      conversationType: 'dm',
      sender: { externalId: 'users/7' },
      text: '1',
      labels: { 'svc.delivery': 'p-3' },
    });
    expect(bench.svc.events.at(-1)).not.toHaveProperty('externalThreadId');
  });

  it('is acknowledged where the message has no card with that button', async () => {
    expect(await answerTo(press('p-4', { message: asked('p-5') }))).toEqual({ status: 200, json: {} });
    expect(bench.svc.outcomes.at(-1)).toBe('ACCEPTED');
  });

  it('of a card that svc did not make is left alone', async () => {
    const before = bench.svc.outcomes.length;
    const foreign = press('p-6', { action: { parameters: [{ key: 'actionId', value: 'approve' }] } });
    expect(await answerTo(foreign)).toEqual({ status: 200, json: {} });
    expect(bench.svc.outcomes).toHaveLength(before);
  });
});

describe('tokens of Google Chat', () => {
  const refused = async (token: string, at = bench) => {
    const before = at.svc.outcomes.length;
    expect((await at.webhook(signed(press('t-1'), token))).status).toBe(401);
    expect(at.svc.outcomes).toHaveLength(before);
  };

  it('are taken for the public address when they are those of Google Chat', async () => {
    for (const email of ['chat@system.gserviceaccount.com', addressClaims.email])
      expect((await answerTo(press('t-2'), await issuer.token({ ...addressClaims, email }))).status).toBe(200);
  });

  it.each([
    ['another account', { email: 'someone@p.iam.gserviceaccount.com' }],
    ['an add-on of another project', { email: 'service-99999@gcp-sa-gsuiteaddons.iam.gserviceaccount.com' }],
    ['an account that is not verified', { email_verified: false }],
    ['another address', { aud: 'https://elsewhere.example.org/webhook' }],
    ['another time', { exp: 1_700_000_000 }],
  ])('are refused for %s', async (_what, claims) => {
    await refused(await issuer.token({ ...addressClaims, ...claims }));
  });

  it('are refused for an address that is not set, and when someone else has signed them', async () => {
    await refused(await stranger.token(addressClaims));
    const other = await open({});
    await refused(ofAddress, other);
    await other.close();
  });

  it('are checked by the connector alone, whatever the environment says', async () => {
    vi.stubEnv('GOOGLE_CHAT_PROJECT_NUMBER', '12345');
    const other = await open({});
    vi.unstubAllEnvs();
    expect((await other.webhook(signed(interaction('MESSAGE')))).status).toBe(200);
    expect(other.svc.outcomes).toEqual(['ACCEPTED']);
    await other.close();
  });
});

describe('events of a Chat app that is not an add-on', () => {
  it('bring messages, also the mention that adds the app to a space', async () => {
    for (const [type, id] of [
      ['MESSAGE', 'm-1'],
      ['ADDED_TO_SPACE', 'm-2'],
    ] as const) {
      const payload = interaction(type, { message: message({ name: `spaces/A/messages/${id}` }) });
      expect(await answerTo(payload)).toEqual({ status: 200, json: {} });
      expect(bench.svc.events.at(-1)).toMatchObject({
        eventId: `gchat:spaces/A:spaces/A/messages/${id}`,
        matchFields: { space: 'spaces/A', kind: 'space' },
        externalThreadId: 'spaces/A/threads/T',
        sender: { externalId: 'users/7', displayName: 'Ada Lovelace' },
        text: 'hello',
        eventTimeMs: String(Date.parse('2026-01-02T03:04:05Z')),
      });
    }
    const direct = { name: 'spaces/D/messages/3', space: DIRECT };
    await answerTo(interaction('MESSAGE', { space: DIRECT, message: message(direct) }));
    expect(bench.svc.events.at(-1)).toMatchObject({ conversationType: 'dm', matchFields: { kind: 'dm' } });
  });

  it('are left alone when they bring no message', async () => {
    const before = bench.svc.outcomes.length;
    for (const payload of [
      interaction('REMOVED_FROM_SPACE', { message: undefined }),
      interaction('ADDED_TO_SPACE', { message: undefined }),
      press('m-9', { type: 'WIDGET_UPDATED' }),
    ])
      expect(await answerTo(payload)).toEqual({ status: 200, json: {} });
    expect(bench.svc.outcomes).toHaveLength(before);
  });

  it('are refused when they are not JSON objects', async () => {
    for (const body of ['{', '7', 'null']) expect((await bench.webhook({ ...signed({}), body })).status).toBe(400);
  });
});

describe('a slash command of Google Chat', () => {
  const command = (id: string, fields: Fields = {}) =>
    message({ name: `spaces/A/messages/${id}`, text: '/ask what?', argumentText: ' what?', ...fields });
  const annotation = {
    type: 'SLASH_COMMAND',
    startIndex: 0,
    length: 4,
    slashCommand: { commandName: '/ask', commandId: '1' },
  };
  const metadata = (appCommandType: string) => ({ appCommandMetadata: { appCommandId: 1, appCommandType } });

  it.each([
    ['names its number', interaction('MESSAGE', { message: command('c-1', { slashCommand: { commandId: '1' } }) })],
    ['is noted in its text', interaction('MESSAGE', { message: command('c-2', { annotations: [annotation] }) })],
    ['is an event of its own', interaction('APP_COMMAND', { message: command('c-3'), ...metadata('SLASH_COMMAND') })],
    [
      'reaches an add-on',
      addOn({
        appCommandPayload: {
          space: SPACE,
          message: command('c-4', { createTime: undefined }),
          ...metadata('SLASH_COMMAND'),
        },
      }),
    ],
  ])('is a message to the app, once, where it %s', async (_how, payload) => {
    bench.svc.failures.push({ status: 500 });
    expect((await answerTo(payload)).status).toBe(503);
    for (const _copy of [1, 2]) expect(await answerTo(payload)).toEqual({ status: 200, json: {} });
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: expect.stringMatching(/^gchat:spaces\/A:spaces\/A\/messages\/c-\d$/),
      conversationType: 'channel_thread',
      externalThreadId: 'spaces/A/threads/T',
      sender: { externalId: 'users/7', displayName: 'Ada Lovelace' },
      text: '/ask what?',
      eventTimeMs: expect.stringMatching(/^1767323045(000|678)$/),
      labels: { mention: 'true' },
    });
  });

  it('is not what has no text, or a text of someone else', async () => {
    const before = bench.svc.outcomes.length;
    for (const type of ['QUICK_COMMAND', 'MESSAGE_ACTION']) {
      expect((await answerTo(interaction('APP_COMMAND', metadata(type)))).status).toBe(200);
      const payload = { space: SPACE, message: message(), ...metadata(type) };
      expect((await answerTo(addOn({ appCommandPayload: payload }))).status).toBe(200);
    }
    expect(bench.svc.outcomes).toHaveLength(before);
  });

  it('is told from other messages', async () => {
    await answerTo(interaction('MESSAGE', { message: message({ name: 'spaces/A/messages/c-9', text: '/ask' }) }));
    expect(bench.svc.events.at(-1)).toMatchObject({ text: '/ask' });
    expect(bench.svc.events.at(-1)?.labels ?? {}).toEqual({});
  });
});
