import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Home } from './command-line/index.ts';
import { freePort, until } from './server-process/index.ts';

const PUBLIC_URL = 'https://chat.example.org/webhook';
const SPACE = { name: 'spaces/A', type: 'ROOM', spaceType: 'SPACE' };
const ADA = { name: 'users/7', displayName: 'Ada Lovelace', type: 'HUMAN' };
const BOB = { name: 'users/8', displayName: 'Bob Kahn', type: 'HUMAN' };
const SCRIPT = [
  '!tool ask_user {"question":"Which size?","schema":{"type":"string","enum":["Small","Large"]}}',
  '!say thanks',
].join('\n');

interface Widget {
  readonly buttonList?: { readonly buttons: readonly { readonly onClick: { readonly action: object } }[] };
}

interface Written {
  readonly text?: string;
  readonly cardsV2?: readonly { readonly card: { readonly sections: readonly { readonly widgets: Widget[] }[] } }[];
}

/** Google on this machine: its keys, access tokens, and the messages of the app. */
const written: Written[] = [];
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const keys = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }] };
let google: Server;
let home: Home;

beforeAll(async () => {
  home = new Home();
  google = createServer(async (request, response) => {
    const body = await text(request);
    const isMessage = request.url?.includes('/messages') === true;
    if (isMessage) written.push(JSON.parse(body) as Written);
    const answers = { '/keys': keys, '/token': { access_token: 'ya29', expires_in: 3_600 } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Object.entries(answers).find(([path]) => path === request.url)?.[1] ?? {}));
  });
  await new Promise<void>((resolve) => google.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await new Promise((resolve) => google.close(resolve));
});

const manifests = [
  'apiVersion: svc/v1',
  'kind: Agent',
  'metadata: { name: helper }',
  'spec: { capabilities: { people: [ask] } }',
  '---',
  'apiVersion: svc/v1',
  'kind: Connector',
  'metadata:',
  '  name: chat',
  '  annotations: { option.svc/requests: deliver, option.svc/approvers: users/8 }',
  'spec:',
  '  classRef: gchat',
  '  matchFields: { space: spaces/A }',
  '  consumer: { session: { agent: helper, continuity: reuse } }',
].join('\n');

/** A server with the connector inside, and where webhooks go. */
const up = async (): Promise<string> => {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${(google.address() as AddressInfo).port}`;
  const server = home.run(['up', '--no-open', '--port', port, '--connector', 'gchat'], {
    GOOGLE_CHAT_CREDENTIALS: JSON.stringify({
      client_email: 'bot@p.iam',
      private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
      token_uri: `${url}/token`,
    }),
    GOOGLE_CHAT_PROJECT_NUMBER: '12345',
    GOOGLE_CHAT_PUBLIC_URL: PUBLIC_URL,
    GOOGLE_CHAT_API_URL: url,
    GOOGLE_CHAT_KEYS_URL: `${url}/keys`,
  });
  const shown = await server.shows(/webhooks go to http:\S+\/webhook/);
  const apply = home.run(['apply', '-f', '-'], { SVC_SERVER: `http://127.0.0.1:${port}` });
  apply.write(manifests);
  expect(await apply.ended()).toBe(0);
  return /webhooks go to (http:\S+\/webhook)/.exec(shown)?.[1] ?? '';
};

/** A token that Google signs, valid for an hour. */
const tokenFor = (claims: object): string => {
  const seconds = Math.floor(Date.now() / 1_000);
  const parts = [
    { alg: 'RS256', kid: 'k1' },
    { iat: seconds, exp: seconds + 3_600, ...claims },
  ];
  const input = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${input}.${sign('RSA-SHA256', Buffer.from(input), privateKey).toString('base64url')}`;
};

it('asks with buttons, of which one who may answer presses one, and the turn goes on once', async () => {
  const webhook = await up();
  const token = tokenFor({ iss: 'chat@system.gserviceaccount.com', aud: '12345' });
  const send = async (event: object): Promise<unknown> =>
    until('the event is taken', async () => {
      const response = await fetch(webhook, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ space: SPACE, ...event }),
      });
      return response.ok ? await response.json() : undefined;
    });
  const about = { thread: { name: 'spaces/A/threads/T' }, space: SPACE, createTime: '2026-01-02T03:04:05Z' };
  await send({
    type: 'MESSAGE',
    eventTime: '2026-01-02T03:04:05Z',
    user: ADA,
    message: { ...about, name: 'spaces/A/messages/1', sender: ADA, text: SCRIPT },
  });
  const { cardsV2 } = await until('the question is asked', async () => written[0]);
  const widgets = cardsV2?.[0]?.card.sections[0]?.widgets;
  expect(widgets).toMatchObject([
    { textParagraph: { text: expect.stringContaining('Which size?<br><br>1. Small<br>2. Large') } },
    { buttonList: { buttons: [{ text: 'Small' }, { text: 'Large', onClick: { action: { function: PUBLIC_URL } } }] } },
  ]);
  const buttons = widgets?.[1]?.buttonList?.buttons ?? [];
  const press = (user: object, index: number, eventTime: string) =>
    send({
      type: 'CARD_CLICKED',
      eventTime,
      user,
      message: { ...about, name: 'spaces/A/messages/out', sender: { name: 'users/9', type: 'BOT' }, cardsV2 },
      action: buttons[index]?.onClick.action,
    });
  expect(await press(ADA, 0, '2026-01-02T03:05:00Z')).toEqual({});
  expect(written).toHaveLength(1);
  for (const _copy of [1, 2])
    expect(await press(BOB, 1, '2026-01-02T03:06:00Z')).toMatchObject({
      actionResponse: { type: 'UPDATE_MESSAGE' },
      cardsV2: [{ card: { sections: [{ widgets: [{}, { textParagraph: { text: 'Bob Kahn: Large' } }] }] } }],
    });
  expect(await press(BOB, 0, '2026-01-02T03:07:00Z')).toEqual({});
  await until('the turn goes on', async () => written[1]);
  expect(written.slice(1).map((message) => message.text)).toEqual([expect.stringContaining('thanks')]);
});
