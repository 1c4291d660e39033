import { expect, it } from 'vitest';
import { fileName, kinds } from '../resources/index.ts';
import { applyRank } from '../resources/manifest/index.ts';
import { DUMP_TABLES } from '../store/contracts/index.ts';
import { AppUnderTest, gate, KIND_SAMPLES } from './testing/index.ts';

/** What happened stays on record; everything else is there because something is. */
const RECORDS = ['changes', 'audit', 'audit_chain', 'usage_records', 'usage_days'];
const TABLES = [...DUMP_TABLES.map(({ name }) => name), 'resource_labels', 'resource_owners', 'session_labels'].filter(
  (table) => !RECORDS.includes(table),
);
/** Longer than anything is kept for those that may still want it. */
const DAYS_LATER_MS = 32 * 86_400_000;

const app = AppUnderTest.ofSuite();

const authorable = kinds.filter((row) => row.authorable && row.kind !== 'Namespace').map((row) => row.kind);
const nameOf = (kind: string): string => {
  if (kind === 'File') return fileName('/docs/one.md');
  return kind === 'ChannelSubscription' ? 'one/one' : 'one';
};

/** Every row outside the records, as `table row count`, and the names of the instance's values. */
const contents = async (): Promise<readonly string[]> => {
  const counted = TABLES.map((table) => `SELECT '${table}' AS name, count(*) AS rows FROM ${table}`).join(
    ' UNION ALL ',
  );
  const counts = (await app.sql(`SELECT * FROM (${counted}) AS c ORDER BY name`)).map(
    ({ name, rows }) => `${name} ${rows}`,
  );
  const values = (await app.sql('SELECT name FROM instance')).map(({ name }) => String(name)).sort();
  const queue = (await app.sql('SELECT kind, key FROM queue')).map(({ kind, key }) => `queue ${kind} ${key}`).sort();
  return [...counts, ...values, ...queue];
};

const apply = (label: string) =>
  app.rest.ok('POST /v1/manifests:apply', {
    ns: 'acme',
    text: [
      { kind: 'Namespace', metadata: { name: 'acme', labels: { label } } },
      { kind: 'Namespace', metadata: { name: 'acme:a' } },
      ...authorable.map((kind) => ({
        kind,
        metadata: { name: nameOf(kind), namespace: 'acme', labels: { label } },
        spec: { ...KIND_SAMPLES[kind], ...(kind === 'Agent' ? { systemPrompt: label } : {}) },
      })),
    ]
      .map((document) => JSON.stringify(document))
      .join('\n---\n'),
  });

it('the tables are as before when resources of every kind came, changed and went', async () => {
  await app.restartLater(DAYS_LATER_MS);
  const before = await contents();
  await apply('first');
  await apply('second');
  const agent = '/v1/ns/acme/agents/one/sessions';
  const { sessionId } = await app.rest.ok<{ sessionId: string }>(`POST ${agent}`, { labels: { who: 'me' } });
  await app.rest.ok(`POST ${agent}/${sessionId}/message`, { message: 'hello', waitSeconds: 30 });
  await app.rest.ok('POST /v1/ns/acme/channels/one/messages', { content: 'hello' });
  expect(await contents()).not.toEqual(before);
  for (const kind of authorable.sort((left, right) => applyRank(right) - applyRank(left))) {
    const [first = '', second] = nameOf(kind).split('/');
    const at = second === undefined ? first : `${second}?parent=${first}`;
    await app.rest.ok(`DELETE /v1/ns/acme/resources/${kind}/${at}`);
  }
  for (const name of ['acme:a', 'acme']) await app.rest.ok(`DELETE /v1/ns/${name}/resources/Namespace/${name}`);
  await app.restartLater(DAYS_LATER_MS);
  await expect.poll(contents, { interval: 200 }).toEqual(before);
});

it('a session that is deleted in the middle of a turn leaves no row and no object', async () => {
  await app.restartLater(DAYS_LATER_MS);
  // Bytes go when the collector comes by, a day after the last one who refers to them.
  const kept = async () => (await contents()).filter((line) => !line.startsWith('objects '));
  const before = await kept();
  const agent = '/v1/ns/default/agents/one';
  await app.rest.ok('POST /v1/manifests:apply', { text: 'kind: Agent\nmetadata: {name: one}\n' });
  const { sessionId } = await app.rest.ok<{ sessionId: string }>(`POST ${agent}/sessions`, {});
  const session = `${agent}/sessions/${sessionId}`;
  const picture = { partType: 7, payloadJson: '{"url":"data:image/png;base64,aGVsbG8="}' };
  await app.rest.ok(`POST ${session}/message`, { message: gate(1), parts: [picture] });
  await app.clock.reached(1);
  const references = before.find((line) => line.startsWith('object_references ')) ?? '';
  expect(await contents()).not.toContain(references);
  await app.rest.ok(`DELETE ${session}`);
  await app.rest.ok('DELETE /v1/ns/default/resources/Agent/one');
  await app.restartLater(DAYS_LATER_MS);
  await expect.poll(kept, { interval: 200 }).toEqual(before);
  expect(await app.sql('SELECT sha256 FROM objects WHERE unreferenced_at = 0')).toEqual([]);
});
