import { beforeAll, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite({ 'knowledge.embeddings': '{"provider":"demo","model":"words"}' });

interface Found {
  readonly results: readonly { readonly path: string; readonly score: number }[];
}

const doctor = async (): Promise<string> => {
  const { checks } = await app.rest.ok<{
    readonly checks: readonly { readonly name: string; readonly result: string; readonly detail: string }[];
  }>('POST /v1/admin/doctor:run', {});
  const check = checks.find(({ name }) => name === 'vectors');
  return `${check?.result}: ${check?.detail}`;
};
const search = async (query: string): Promise<readonly string[]> =>
  (await app.rest.ok<Found>('POST /v1/ns/default/agents/helper/knowledge/search', { query })).results.map(
    ({ path }) => path,
  );
const put = (path: string, content: string): Promise<unknown> =>
  app.rest.ok('POST /v1/manifests:apply', {
    text: JSON.stringify({
      kind: 'Knowledge',
      metadata: { name: path, namespace: 'default' },
      spec: { path, content },
    }),
  });

beforeAll(() => app.rest.ok('POST /v1/manifests:apply', { text: 'kind: Agent\nmetadata: {name: helper}\n' }));

it('documents get vectors behind their write, are found by them, and the doctor says what compares them', async () => {
  await put('a', 'the a b c d');
  await put('z', 'something else');
  expect(await search('else')).toEqual(['z']);
  const whole = /^ok: demo\/words, compared by (?:sqlite-vec|pgvector|plain SQL).*; 0 documents wait/;
  await expect.poll(doctor, { interval: 200 }).toMatch(whole);
  expect(await search('else')).toEqual(['z']);
  const { rows } = await app.rest.ok<{ rows: readonly Record<string, unknown>[] }>('GET /v1/ns/default/usage?by=model');
  expect(JSON.stringify(rows)).toContain('words');
  await app.rest.ok('DELETE /v1/ns/default/resources/Knowledge/z');
  expect(await search('else')).toEqual([]);
});
