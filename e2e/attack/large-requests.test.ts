import { createHmac } from 'node:crypto';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestCaller } from '../calls/index.ts';
import { freePort, ServerProcess } from '../server-process/index.ts';
import { emptyMessages, framed, grpc, post, type RawAnswer, textField } from './raw-requests.ts';
import { FLOOD_MS, ONE_REQUEST_MS, withstand } from './watch/index.ts';

const token = 'a token of the attack suite';
const secret = 'a jwt secret of the attack suite';
const MESSAGE_PATH = '/v1/ns/default/agents/helper/sessions/s1/message';
const SEND = '/svc.gateway.GatewayService/SendMessage';
const APPLY = '/svc.gateway.ResourceService/ApplyManifests';

const PERMISSION_DENIED = 7;

const base64 = (text: string): string => Buffer.from(text).toString('base64url');

/** A valid credential that may look at one agent and change nothing. */
const viewer = (): string => {
  const claims = { sub: 'viewer', aud: 'svc', exp: Math.floor(Date.now() / 1000) + 3_600 };
  const scope = { 'svc:role': 'viewer', 'svc:ns': 'default', 'svc:agent': 'helper' };
  const said = `${base64('{"alg":"HS256","typ":"JWT"}')}.${base64(JSON.stringify({ ...claims, ...scope }))}`;
  return `${said}.${createHmac('sha256', secret).update(said).digest('base64url')}`;
};

const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');

/** SendMessage with 4,000,000 empty parts: 8 MB. */
const emptyParts = Buffer.concat([
  textField(1, 's1'),
  textField(2, 'helper'),
  textField(3, 'default'),
  emptyMessages(8, 4_000_000),
]);
const unknownKeys = `{${times(500_000, (index) => `${index === 0 ? '' : ','}"k${index}":1`)}}`;
const jsonParts = `{"parts":[${times(2_600_000, (index) => (index === 0 ? '{}' : ',{}'))}]}`;

let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start({
    environment: {
      SVC_AUTH_MODE: 'token,jwt',
      SVC_AUTH_TOKEN: token,
      SVC_AUTH_JWT_SECRET: secret,
      SVC_NET_ALLOW: '127.0.0.1/32',
    },
  });
  const admin = new RestCaller(server.url, { authorization: `Bearer ${token}` });
  const made = await admin.call('POST /v1/ns/default/agents', { name: 'helper', spec: { systemPrompt: 'help' } });
  expect(made.status).toBe(200);
});

afterAll(() => server[Symbol.asyncDispose]());

type Send = (credential: string) => Promise<RawAnswer>;

const over = (path: string, type: string, body: Uint8Array | string): Send => {
  const send = type === 'application/grpc+proto' ? grpc : post;
  return (credential) => send({ url: server.url + path, credential, type, body });
};

const messages: readonly (readonly [what: string, send: () => Send])[] = [
  ['empty parts over Connect', () => over(SEND, 'application/proto', emptyParts)],
  ['empty parts over gRPC', () => over(SEND, 'application/grpc+proto', framed(emptyParts))],
  ['empty parts over gRPC-web', () => over(SEND, 'application/grpc-web+proto', framed(emptyParts))],
  [
    'empty parts over gRPC-web in base64',
    () => over(SEND, 'application/grpc-web-text+proto', framed(emptyParts.subarray(0, 6_000_000)).toString('base64')),
  ],
  ['500,000 unknown keys over REST', () => over(MESSAGE_PATH, 'application/json', unknownKeys)],
  ['500,000 unknown keys over Connect', () => over(SEND, 'application/json', unknownKeys)],
  ['empty parts as JSON over REST', () => over(MESSAGE_PATH, 'application/json', jsonParts)],
  ['empty parts as JSON over Connect', () => over(SEND, 'application/json', jsonParts)],
];

const isRefused = ({ status, grpcStatus }: RawAnswer): boolean => status >= 400 || grpcStatus > 0;

describe('a request of megabytes with nothing in it', () => {
  test.each(messages)('stalls nobody, and is refused to one who may not write: %s', async (_, send) => {
    const attack = async (): Promise<void> => {
      const answer = await send()(viewer());
      expect([answer.status, answer.grpcStatus]).toSatisfy(
        ([status, grpcStatus]) => status === 403 || grpcStatus === PERMISSION_DENIED,
      );
    };
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });

  test.each(messages)('stalls nobody, and is refused to an admin: %s', async (_, send) => {
    const attack = async (): Promise<void> => expect(isRefused(await send()(token))).toBe(true);
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });

  test('stalls nobody long when five come at once', async () => {
    const attack = async (): Promise<void> => {
      const answers = await Promise.all(messages.slice(3).map(([, send]) => send()(token)));
      expect(answers.every(isRefused)).toBe(true);
    };
    await withstand(server, { budgetMs: FLOOD_MS, attack });
  });
});

describe('a text of manifests that is expensive to read', () => {
  const texts: readonly (readonly [what: string, text: string])[] = [
    ['a List of 60,000 items', `apiVersion: v1\nkind: List\nitems:\n${times(60_000, () => '- {}\n')}`],
    ['200,000 anchors', `a:\n${times(200_000, (index) => `- &a${index} 1\n`)}`],
    ['2,000,000 lines of comments', `${'#\n'.repeat(2_000_000)}kind: Agent\n`],
    ['200,000 lines of comments', `${'#\n'.repeat(200_000)}kind: Agent\n`],
    ['100,000 tags', `a:\n${'- !x 1\n'.repeat(100_000)}`],
    ['a megabyte of unknown fields', `kind: Agent\nspec:\n${times(60_000, (index) => `  field${index}: 1\n`)}`],
  ];

  test.each(texts)('stalls nobody: %s', async (_, text) => {
    const attack = async (): Promise<void> => {
      const yaml = await over('/v1/manifests:apply', 'application/yaml', text)(token);
      // RESOURCE_EXHAUSTED where the machine is so busy that reading takes its whole time.
      expect([400, 429]).toContain(yaml.status);
      const json = await over(APPLY, 'application/json', JSON.stringify({ text }))(token);
      expect([400, 429]).toContain(json.status);
    };
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });

  test('stalls nobody when it is 500 agents that are written', async () => {
    let round = 0;
    const attack = async (): Promise<void> => {
      round += 1;
      const text = times(500, (index) => `kind: Agent\nmetadata: {name: a${round}-${index}}\n---\n`);
      expect((await over('/v1/manifests:apply', 'application/yaml', text)(token)).status).toBe(200);
    };
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });
});

describe('JSON nested 8,000 deep', () => {
  const deep = '['.repeat(8_000) + ']'.repeat(8_000);
  const manifests = [
    ['raw.json', { kind: 'Thing', apiVersion: 'acme/v1', metadata: { name: 'x' }, spec: { raw: { json: deep } } }],
    ['specJson', { kind: 'Template', metadata: { name: 'x' }, spec: { template: { kind: 'Agent', specJson: deep } } }],
    [
      'providerConfigJson',
      { kind: 'SandboxClass', metadata: { name: 'x' }, spec: { sandboxClass: { providerConfigJson: deep } } },
    ],
  ] as const;

  test.each(manifests)('is refused by field in %s, as a message and as text', async (field, manifest) => {
    const message = JSON.stringify({ manifests: [manifest] });
    const asMessage = await over(APPLY, 'application/json', message)(token);
    expect(asMessage.status).toBe(400);
    expect(asMessage.text).toContain(field);
    const [spec] = Object.values(manifest.spec);
    const asText = await over('/v1/manifests:apply', 'application/yaml', JSON.stringify({ ...manifest, spec }))(token);
    // Inside of a custom resource a text is a text, whatever it holds.
    expect(asText.status).toBe(field === 'raw.json' ? 200 : 400);
  });
});

describe('a picture behind an address that fails', () => {
  test.each([
    ['refuses the connection', async () => freePort()],
    [
      'hangs up',
      async () => {
        const port = await freePort();
        const hung = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1');
        hung.unref();
        return port;
      },
    ],
  ])('is a fault that names the host when it %s', async (_, listen) => {
    const calls = new RestCaller(server.url, { authorization: `Bearer ${token}` });
    const made = await calls.call<{ sessionId: string }>('POST /v1/ns/default/agents/helper/sessions', {});
    const port = await listen();
    const payloadJson = JSON.stringify({ url: `https://127.0.0.1:${port}/picture.png` });
    const answer = await calls.call(`POST /v1/ns/default/agents/helper/sessions/${made.body.sessionId}/message`, {
      parts: [{ partType: 'IMAGE', payloadJson }],
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(`parts[0]: url: 127.0.0.1:${port} could not be read`);
  });
});
