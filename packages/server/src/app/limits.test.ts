import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite({
  'limits.batchSessions': '2',
  'limits.resourceBytes': '4KiB',
  'limits.messageBytes': '1KiB',
  'limits.responseBytes': '8KiB',
  'limits.requestBytes': '64KiB',
  'limits.jsonDepth': '20',
  'limits.labels': '2',
  'limits.knowledgeMax': '12KiB',
});
const { rest } = app;
beforeAll(async () => {
  await rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
  await rest.ok('POST /v1/namespaces/other', {});
  await rest.ok('POST /v1/ns/other/agents', { name: 'helper' });
});

const AGENTS = '/v1/ns/default/agents';

describe('the limits of the configuration (API-1.9)', () => {
  it('hold for the sessions of a batch', async () => {
    const ids = await Promise.all(['', '', ''].map(async () => (await rest.session('helper')).split('/').at(-1) ?? ''));
    const sessions = ids.map((sessionId) => ({ ns: 'default', agent: 'helper', sessionId }));
    expect(await rest.outcome('POST /v1/session-streams:batch', { sessions })).toBe('400 FIELD_INVALID');
  });

  it('hold for a resource, a message, a request, its depth and its labels', async () => {
    expect(await rest.outcome(`POST ${AGENTS}`, { spec: { systemPrompt: 'x'.repeat(5000) } })).toMatch(/^(400|429) /);
    const session = await rest.session('helper');
    expect(await rest.outcome(`POST ${session}/message`, { message: 'x'.repeat(1025) })).toMatch(/^(400|429) /);
    expect(await rest.outcome(`POST ${session}/message`, { message: 'x'.repeat(1024) })).toBe('200');
    expect(await rest.outcome(`POST ${AGENTS}`, { spec: { systemPrompt: 'x'.repeat(70_000) } })).toBe('413 TOO_LARGE');
    expect(await rest.outcome(`POST ${AGENTS}`, `${'['.repeat(21)}${']'.repeat(21)}`)).toBe('400 JSON_INVALID');
    expect(await rest.outcome(`POST ${AGENTS}`, { labels: { a: '', b: '', c: '' } })).toBe('400 FIELD_INVALID');
  });

  it('cut pages by what they show: specs take no part of a page of metadata', async () => {
    const made = ['a', 'b', 'c', 'd'].map((name) =>
      rest.ok('POST /v1/ns/other/agents', { name, spec: { systemPrompt: 'x'.repeat(3000) } }),
    );
    await Promise.all(made);
    const paths = ['/v1/ns/other/agents?', '/v1/ns/other/resources?kind=Agent&'];
    for (const path of paths) {
      const whole = await rest.ok<{ nextPageToken: string }>(`GET ${path}page_size=10`);
      expect(whole.nextPageToken).not.toBe('');
      const bare = await rest.ok<{ nextPageToken: string }>(`GET ${path}page_size=10&metadata_only=true`);
      expect(bare.nextPageToken).toBe('');
    }
  });

  it('leave contents alone that their kind bounds itself', async () => {
    const content = 'line\n'.repeat(2000);
    expect(
      await rest.outcome('POST /v1/namespaces/default/knowledge', {
        knowledge: { metadata: { name: 'long' }, spec: { path: 'long', content } },
      }),
    ).toBe('200');
    const tooLong = { metadata: { name: 'longer' }, spec: { content: 'x'.repeat(12 * 1024 + 1) } };
    expect(await rest.outcome('POST /v1/namespaces/default/knowledge', { knowledge: tooLong })).toBe('429 TOO_LARGE');
    const data = { a: Buffer.alloc(6000).toString('base64') };
    expect(
      await rest.outcome('PUT /v1/ns/default/resources/Secret/long', {
        kind: 'Secret',
        metadata: { namespace: 'default', name: 'long' },
        spec: { data },
      }),
    ).toBe('200');
    const path = 'p'.repeat(5000);
    expect(
      await rest.outcome('POST /v1/namespaces/default/knowledge', {
        knowledge: { metadata: { name: 'long' }, spec: { path, content } },
      }),
    ).toBe('429 TOO_LARGE');
  });

  it('cut a page short, which goes on with its token', async () => {
    await rest.ok('POST /v1/namespaces/full', {});
    for (let index = 0; index < 8; index += 1)
      await rest.ok('POST /v1/ns/full/agents', { name: `a${index}`, spec: { systemPrompt: 'x'.repeat(3000) } });
    const names: string[] = [];
    let pages = 0;
    for (let token = ''; pages === 0 || token !== ''; pages += 1) {
      const page = await rest.ok<{ agents: { metadata: { name: string } }[]; nextPageToken: string }>(
        `GET /v1/ns/full/agents?pageToken=${encodeURIComponent(token)}`,
      );
      names.push(...page.agents.map((agent) => agent.metadata.name));
      token = page.nextPageToken;
    }
    expect(names).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']);
    expect(pages).toBeGreaterThan(2);
  });
});

describe('an object that a caller names (12.52, R38)', () => {
  const bytes = Buffer.from('a real object');
  const url = `data:text/plain;base64,${bytes.toString('base64')}`;
  const sha256 = createHash('sha256').update(bytes).digest('hex');

  interface Stored {
    readonly items: readonly { readonly message: { readonly parts: readonly { readonly object?: Ref }[] } }[];
  }
  interface Ref {
    readonly key: string;
    readonly sha256: string;
    readonly sizeBytes: string;
  }
  const storedRef = async (): Promise<{ readonly session: string; readonly object: Ref }> => {
    const session = await rest.session('helper');
    await rest.send(session, 'keep', { parts: [{ partType: 'FILE', payloadJson: { url } }], waitSeconds: 30 });
    const { items } = await rest.ok<Stored>(`GET ${session}/messages`);
    const object = items[0]?.message.parts[1]?.object;
    if (object === undefined) throw new Error('the message has no object');
    return { session, object };
  };
  const send = (session: string, object: object): Promise<string> =>
    rest.outcome(`POST ${session}/message`, { message: 'again', parts: [{ partType: 'FILE', object }] });

  it('has its size and key computed, whatever is said of them', async () => {
    const { session, object } = await storedRef();
    expect(object).toMatchObject({ sha256, sizeBytes: String(bytes.length) });
    const forged = { sha256, key: 'mine', sizeBytes: '1', mediaType: 'text/plain' };
    const append = { message: { parts: [{ partType: 'FILE', object: forged }] } };
    expect(await rest.ok(`POST ${session}/messages:append`, append)).toMatchObject({
      message: { parts: [{ object: { sha256, key: object.key, sizeBytes: String(bytes.length) } }] },
    });
  });

  it('is refused without its hash, with another one, and from another namespace', async () => {
    const { session, object } = await storedRef();
    expect(await send(session, { ...object, sha256: '0'.repeat(64) })).toBe('400 FIELD_INVALID');
    expect(await send(session, { key: object.key })).toBe('400 FIELD_INVALID');
    const { sessionId } = await rest.ok<{ sessionId: string }>('POST /v1/ns/other/agents/helper/sessions', {});
    const foreign = `/v1/ns/other/agents/helper/sessions/${sessionId}`;
    expect(await send(foreign, object)).toBe('400 FIELD_INVALID');
    expect(await send(session, object)).toBe('200');
  });
});

describe('a quota of sessions (API-8.3)', () => {
  it('refuses the next one and says which policy and how much', async () => {
    await rest.ok('POST /v1/namespaces/quota', {});
    await rest.ok('POST /v1/ns/quota/agents', { name: 'helper' });
    const metadata = { name: 'few', namespace: 'quota' };
    const hard = [{ metric: 'agent.sessions', max: '1', window: '1h' }];
    const manifest = { apiVersion: 'svc/v1', kind: 'UsagePolicy', metadata, spec: { usagePolicy: { hard } } };
    await rest.ok('PUT /v1/ns/quota/resources/UsagePolicy/few', { manifest });
    const path = 'POST /v1/ns/quota/agents/helper/sessions';
    expect(await rest.outcome(path, {})).toBe('200');
    const refused = await rest.call(path, {});
    expect(refused.status).toBe(429);
    const said = { metric: 'agent.sessions', policy: 'quota/few', used: '1', max: '1', reset_at: expect.any(String) };
    const wait = { retryDelay: expect.stringMatching(/s$/) };
    expect(refused.body).toMatchObject({ error: { details: [{ reason: 'QUOTA_EXCEEDED', metadata: said }, wait] } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
