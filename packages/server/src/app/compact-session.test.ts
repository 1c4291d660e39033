import { beforeAll, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite({ 'models.prices': JSON.stringify({ 'demo/echo': { input: 1, output: 1 } }) });
const SESSIONS = '/v1/ns/default/agents/helper/sessions';

interface Shown {
  readonly messages: readonly {
    readonly id: string;
    readonly parts: readonly { readonly partType: string; readonly payloadJson: string }[];
  }[];
  readonly totalUsage: { readonly costMicros: string };
}

beforeAll(() => app.rest.ok('POST /v1/manifests:apply', { text: 'kind: Agent\nmetadata: {name: helper}\n' }));

it('a session that is asked to is compacted by its next turn, once, and says what it summarised', async () => {
  const { sessionId } = await app.rest.ok<{ sessionId: string }>(`POST ${SESSIONS}`, {});
  const path = `${SESSIONS}/${sessionId}`;
  const send = (message: string, labels = {}): Promise<unknown> =>
    app.rest.ok(`POST ${path}/message`, { message, labels, waitSeconds: 30 });
  const shown = () => app.rest.ok<Shown>(`GET ${path}`);
  const parts = async (type: string) =>
    (await shown()).messages.flatMap((message) => message.parts).filter(({ partType }) => partType.endsWith(type));
  await send('keep the number 4711', { pin: 'true' });
  await send(Array.from({ length: 200 }, (_, index) => `word${index}`).join(' '));
  const [, first] = (await shown()).messages;
  await app.rest.ok(`POST ${path}:compact`, {});
  expect(await parts('COMPACTION')).toEqual([]);
  await send('hello\n!prompt');
  const [compaction, ...more] = await parts('COMPACTION');
  expect(more).toEqual([]);
  const payload = JSON.parse(compaction?.payloadJson ?? '{}');
  expect(payload.summarised).toHaveLength(3);
  expect(payload.summarised[0]).toBe(first?.id);
  expect(payload.tokens_after).toBeLessThan(payload.tokens_before);
  expect(payload.keeps.kept).toMatchObject([{ text: 'keep the number 4711', isSystem: false }]);
  const { totalUsage } = await shown();
  expect(Number(totalUsage.costMicros)).toBeGreaterThan(400);
  await send('again');
  expect(await parts('COMPACTION')).toHaveLength(1);
  const unknown = await app.rest.call(`POST ${SESSIONS}/00000000-0000-7000-8000-000000000000:compact`, {});
  expect(unknown.status).toBe(404);
});
