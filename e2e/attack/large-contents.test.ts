import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestCaller } from '../calls/index.ts';
import { ServerProcess } from '../server-process/index.ts';
import { post, type RawAnswer } from './raw-requests.ts';
import { ONE_REQUEST_MS, withstand } from './watch/index.ts';

const token = 'a token of the attack suite';
const APPLY = '/svc.gateway.ResourceService/ApplyManifests';
const MIB = 1024 * 1024;

let server: ServerProcess;
let admin: RestCaller;

beforeAll(async () => {
  server = await ServerProcess.start({ environment: { SVC_AUTH_MODE: 'token', SVC_AUTH_TOKEN: token } });
  admin = new RestCaller(server.url, { authorization: `Bearer ${token}` });
  const made = await admin.call('POST /v1/ns/default/agents', { name: 'helper', spec: { systemPrompt: 'help' } });
  expect(made.status).toBe(200);
});

afterAll(() => server[Symbol.asyncDispose]());

const send = (path: string, type: string, body: Uint8Array | string): Promise<RawAnswer> =>
  post({ url: server.url + path, credential: token, type, body });

const newSession = async (): Promise<string> => {
  const made = await admin.call<{ sessionId: string }>('POST /v1/ns/default/agents/helper/sessions', {});
  return made.body.sessionId;
};

const list = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('a message of the browser chat with a picture of megabytes', () => {
  /** Bytes that do not repeat, so that nothing makes them smaller. */
  const picture = Buffer.alloc(22 * MIB);
  for (let at = 0; at < picture.length; at += 4) picture.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at);
  const chat = (parts: readonly object[]): string => JSON.stringify({ messages: [{ role: 'user', parts }] });
  const url = `data:image/png;base64,${picture.toString('base64')}`;
  const say = async (body: string): Promise<RawAnswer> =>
    send(`/v1/ui/ns/default/agents/helper/sessions/${await newSession()}`, 'application/json', body);

  test('stalls nobody, and is answered', async () => {
    const body = chat([
      { type: 'text', text: 'look' },
      { type: 'file', mediaType: 'image/png', filename: 'a.png', url },
    ]);
    expect(body.length).toBeGreaterThan(29 * MIB);
    const attack = async (): Promise<void> => {
      const answer = await say(body);
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('data: [DONE]')]);
    };
    // The first one loads what the later ones use, which stays in memory.
    await attack();
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });

  test.each([
    ['a text of 30 MB', chat([{ type: 'text', text: 'a'.repeat(30 * MIB) }]), 429],
    [
      'a million labels',
      `{"messages":[{"role":"user","parts":[]}],"labels":{${list(MIB, (at) => `"k${at}":"v"`)}}}`,
      429,
    ],
    ['10 million lists', `{"messages":[${list(10 * MIB, () => '[]')}]}`, 429],
    ['a damaged picture', chat([{ type: 'file', mediaType: 'image/png', url: `${url}$` }]), 400],
    ['no JSON', 'x'.repeat(31 * MIB), 400],
  ])('stalls nobody, and is refused: %s', async (_, body, status) => {
    const attack = async (): Promise<void> => expect((await say(body)).status).toBe(status);
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });
});

describe('manifests by the thousand', () => {
  const agents = (count: number, more = ''): string =>
    list(count, (index) => `kind: Agent\nmetadata: {name: a${index}}\n${more}`).join('---\n');
  const apply = (request: object): Promise<RawAnswer> =>
    send(APPLY, 'application/json', JSON.stringify({ atomic: false, ...request }));

  test('stall nobody as a list of 60,000 entries', async () => {
    const attack = async (): Promise<void> => {
      for (const entry of ['- {}\n', '- kind: Agent\n'])
        expect((await send('/v1/manifests:apply', 'application/yaml', entry.repeat(60_000))).status).toBe(400);
    };
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });

  test.each([
    ['5,000 documents of a text', { text: agents(5_000), dryRun: true }],
    [
      '5,000 messages',
      {
        manifests: list(5_000, (index) => ({ kind: 'Agent', metadata: { name: `m${index}` }, spec: { agent: {} } })),
        dryRun: true,
      },
    ],
    [
      '5,000 documents with 20 mistakes each',
      {
        text: agents(5_000, `spec:\n${list(20, (index) => `  f${index}: 1\n`).join('')}`),
        dryRun: true,
        keepGoing: true,
      },
    ],
  ])('stall nobody when it is tried what they would do: %s', async (_, request) => {
    // RESOURCE_EXHAUSTED where the machine is so busy that reading takes its whole time.
    const attack = async (): Promise<void> => expect([200, 429]).toContain((await apply(request)).status);
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });
});

test('a page of megabytes stalls nobody', async () => {
  const text = list(
    300,
    (at) => `kind: Agent\nmetadata: {name: big${at}}\nspec: {systemPrompt: "${'x'.repeat(20_000)}"}\n`,
  );
  for (let start = 0; start < text.length; start += 100) {
    const made = await send('/v1/manifests:apply', 'application/yaml', text.slice(start, start + 100).join('---\n'));
    expect(made.status).toBe(200);
  }
  const attack = async (): Promise<void> => {
    const rest = await admin.call<object>('GET /v1/ns/default/agents?page_size=1000');
    expect(JSON.stringify(rest.body).length).toBeGreaterThan(3_500_000);
  };
  await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
});

describe('a stream of 10,000 sessions', () => {
  test('stalls nobody as it begins and as its reader goes away', async () => {
    const ids: string[] = [];
    while (ids.length < 10_000) ids.push(...(await Promise.all(list(50, newSession))));
    const sessions = ids.map((sessionId) => ({ ns: 'default', agent: 'helper', sessionId }));
    const attack = async (): Promise<void> => {
      const control = new AbortController();
      const stream = await fetch(`${server.url}/v1/session-streams:batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ sessions }),
        signal: control.signal,
      });
      expect(stream.status).toBe(200);
      control.abort();
    };
    await withstand(server, { budgetMs: ONE_REQUEST_MS, attack });
  });
});
