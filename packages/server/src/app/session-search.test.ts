import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const TOKEN = 'a-token-for-the-search-that-is-long-enough';
const app = AppUnderTest.ofSuite({ 'auth.mode': '["token"]', 'auth.token': TOKEN });
const ADMIN = { authorization: `Bearer ${TOKEN}` };

interface Hit {
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly messageId: string;
  readonly role: string;
  readonly createdAt: string;
  readonly snippet: readonly { readonly text: string; readonly found: boolean }[];
  readonly score: number;
}
interface Found {
  readonly hits: readonly Hit[];
  readonly nextPageToken: string;
}
type Headers = Readonly<Record<string, string>>;

const ok = <T>(what: string, body?: unknown): Promise<T> => app.rest.ok<T>(what, body, ADMIN);
const sessionPath = (ns: string, agent: string, id: string): string => `/v1/ns/${ns}/agents/${agent}/sessions/${id}`;
const search = (body: object, ns = '-', headers: Headers = ADMIN): Promise<Found> =>
  app.rest.ok<Found>(`POST /v1/ns/${ns}/sessions:search`, body, headers);
const texts = ({ hits }: Found): readonly string[] =>
  hits.map(({ snippet }) => snippet.map(({ text }) => text).join(''));

/** A session whose messages are these, oldest first. */
const conversation = async (ns: string, agent: string, ...messages: readonly string[]): Promise<string> => {
  const { sessionId } = await ok<{ sessionId: string }>(`POST /v1/ns/${ns}/agents/${agent}/sessions`, {});
  for (const content of messages)
    await ok(`POST ${sessionPath(ns, agent, sessionId)}/messages:append`, {
      message: { role: 'ROLE_USER', parts: [{ partType: 'TEXT', content }] },
    });
  return sessionId;
};

const messageIds = async (ns: string, agent: string, id: string): Promise<readonly string[]> => {
  const path = `GET ${sessionPath(ns, agent, id)}/messages`;
  return (await ok<{ items: { message: { id: string } }[] }>(path)).items.map(({ message }) => message.id);
};

const keyFor = async (grant: object): Promise<Headers> => {
  const name = `key-${Math.random()}`;
  const { secret } = await ok<{ secret: string }>('POST /v1/auth/api-keys', { name, grants: [grant] });
  return { 'x-api-key': secret };
};

beforeAll(async () => {
  for (const name of ['sea', 'land'])
    await ok('POST /v1/manifests:apply', { text: JSON.stringify({ kind: 'Namespace', metadata: { name } }) });
  for (const [ns, name] of [
    ['sea', 'pilot'],
    ['sea', 'cook'],
    ['land', 'pilot'],
  ])
    await ok(`POST /v1/ns/${ns}/agents`, { name });
});

describe('a search through conversations', () => {
  it('finds what was said in any session, says where, and shows the words', async () => {
    const id = await conversation('sea', 'pilot', 'Is the  LIGHTHOUSE\nof Éire open?', 'No.');
    const { hits, nextPageToken } = await search({ query: 'lighthouse éire tomorrow' });
    expect(nextPageToken).toBe('');
    expect(hits).toEqual([
      {
        ns: 'sea',
        agent: 'pilot',
        sessionId: id,
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        role: 'ROLE_USER',
        createdAt: expect.stringMatching(/^\d{16}$/),
        snippet: [
          { text: 'Is the ', found: false },
          { text: 'LIGHTHOUSE', found: true },
          { text: ' of ', found: false },
          { text: 'Éire', found: true },
          { text: ' open?', found: false },
        ],
        score: 2 / 3,
      },
    ]);
    expect(await messageIds('sea', 'pilot', id)).toContain(hits[0]?.messageId);
  });

  it('finds what a model answered, and nothing of what tools said', async () => {
    const { sessionId } = await ok<{ sessionId: string }>('POST /v1/ns/sea/agents/cook/sessions', {});
    const message = '!tool current_time {}';
    await ok(`POST ${sessionPath('sea', 'cook', sessionId)}/message`, { message, waitSeconds: 30 });
    const asked = await search({ query: 'current_time', agent: 'cook' }, 'sea');
    expect(asked.hits.map(({ role }) => role)).toContain('ROLE_USER');
    expect((await search({ query: 'iso8601 timezone', agent: 'cook' }, 'sea')).hits).toEqual([]);
  });

  it('shows the best first, then the newest, and continues without a gap or a repetition', async () => {
    const one = await conversation('land', 'pilot', 'red apple', 'green apple', 'apple and pear');
    await conversation('land', 'pilot', 'an apple a day');
    const whole = await search({ query: 'apple pear' }, 'land');
    expect(texts(whole)).toEqual(['apple and pear', 'an apple a day', 'green apple', 'red apple']);
    expect(whole.hits.map(({ score }) => score)).toEqual([1, 0.5, 0.5, 0.5]);
    expect(whole.hits.filter(({ sessionId }) => sessionId === one)).toHaveLength(3);
    const paged: string[] = [];
    let pageToken = '';
    do {
      const page = await search({ query: 'apple pear', pageSize: 1, pageToken }, 'land');
      paged.push(...texts(page));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(paged).toEqual(texts(whole));
  });

  it('forgets what was changed, cleared or deleted at once', async () => {
    const changed = await conversation('sea', 'cook', 'walrus one');
    const cleared = await conversation('sea', 'cook', 'walrus two');
    const deleted = await conversation('sea', 'cook', 'walrus three');
    const found = await search({ query: 'walrus' });
    expect(texts(found)).toEqual(['walrus three', 'walrus two', 'walrus one']);
    const { messageId } = found.hits[2] as Hit;
    await ok(`PATCH ${sessionPath('sea', 'cook', changed)}/messages/${messageId}`, {
      parts: [{ partType: 'TEXT', content: 'otter' }],
    });
    await ok(`POST ${sessionPath('sea', 'cook', cleared)}:clear`, {});
    await ok(`DELETE ${sessionPath('sea', 'cook', deleted)}`);
    expect((await search({ query: 'walrus' })).hits).toEqual([]);
    expect(texts(await search({ query: 'otter' }))).toEqual(['otter']);
  });

  it('reads a long session to its beginning', async () => {
    const id = await conversation('sea', 'pilot', 'a needle', ...Array.from({ length: 120 }, (_, at) => `hay ${at}`));
    expect((await search({ query: 'needle' }, 'sea')).hits.map(({ sessionId }) => sessionId)).toEqual([id]);
  });
});

describe('what a search shows to whom', () => {
  it('is what GetSession shows: nothing of other namespaces, agents or sessions', async () => {
    const mine = await conversation('sea', 'pilot', 'secret treasure of the pilot');
    const other = await conversation('sea', 'pilot', 'another treasure of the pilot');
    await conversation('sea', 'cook', 'treasure of the cook');
    await conversation('land', 'pilot', 'treasure of the land');
    const query = { query: 'treasure' };
    expect((await search(query)).hits).toHaveLength(4);
    const land = await keyFor({ role: 'viewer', namespace: 'land' });
    expect(texts(await search(query, '-', land))).toEqual(['treasure of the land']);
    const pilot = await keyFor({ role: 'viewer', namespace: 'sea', agent: 'pilot' });
    const ofPilot = (await search(query, '-', pilot)).hits.map(({ sessionId }) => sessionId);
    expect(ofPilot).toEqual([other, mine]);
    expect(texts(await search({ ...query, agent: 'pilot' }, 'sea', pilot))).toHaveLength(2);
    const single = await keyFor({ role: 'viewer', namespace: 'sea', agent: 'pilot', session: mine });
    expect(texts(await search(query, '-', single))).toEqual(['secret treasure of the pilot']);
    const channel = await keyFor({ role: 'viewer', namespace: 'sea', channel: 'room' });
    expect((await search(query, '-', channel)).hits).toEqual([]);
    const refused = await Promise.all([
      app.rest.call('POST /v1/ns/sea/sessions:search', query, land),
      app.rest.call('POST /v1/ns/sea/sessions:search', query, pilot),
      app.rest.call('POST /v1/ns/sea/sessions:search', { ...query, agent: 'cook' }, pilot),
      app.rest.call('POST /v1/ns/sea/sessions:search', { ...query, agent: 'pilot' }, single),
      app.rest.call('POST /v1/ns/-/sessions:search', query, {}),
    ]);
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 401]);
  });

  it('does not widen when a page token names a session of others', async () => {
    const secret = await conversation('sea', 'cook', 'a hidden anchor', 'a newer word');
    const land = await keyFor({ role: 'viewer', namespace: 'land' });
    for (let at = 0; at < 2; at++) await conversation('land', 'pilot', 'an anchor');
    const { nextPageToken } = await search({ query: 'anchor', pageSize: 1 }, '-', land);
    const [print] = JSON.parse(Buffer.from(nextPageToken, 'base64url').toString()) as string[];
    const newest = (await messageIds('sea', 'cook', secret)).toSorted().at(-1);
    const forged = [print, String(Date.now() * 1_000), secret, newest];
    const pageToken = Buffer.from(JSON.stringify(forged)).toString('base64url');
    const { hits } = await search({ query: 'anchor', pageToken }, '-', land);
    expect(new Set(hits.map(({ ns }) => ns))).toEqual(new Set(['land']));
  });

  it('names what is wrong with a question', async () => {
    const answers = await Promise.all(
      [
        ['sea', { query: ' ' }],
        ['sea', { query: 'x'.repeat(1_025) }],
        ['sea', { query: 'x', pageSize: -1 }],
        ['sea', { query: 'x', pageToken: 'x' }],
        ['nowhere', { query: 'x' }],
        ['sea', { query: 'x', agent: 'nobody' }],
      ].map(([ns, body]) => app.rest.call(`POST /v1/ns/${String(ns)}/sessions:search`, body, ADMIN)),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 404, 404]);
    const reasons = answers.map(({ body }) => /[A-Z]+_(INVALID|NOT_FOUND)/.exec(JSON.stringify(body))?.[0]);
    expect(reasons).toEqual([
      'FIELD_INVALID',
      'FIELD_INVALID',
      'FIELD_INVALID',
      'TOKEN_INVALID',
      'NAMESPACE_NOT_FOUND',
      'AGENT_NOT_FOUND',
    ]);
    expect((await search({ query: '"; DROP TABLE messages; -- %_' }, 'sea')).hits).toEqual([]);
  });
});
