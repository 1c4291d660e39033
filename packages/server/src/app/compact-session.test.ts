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

interface Step {
  readonly kind: string;
  readonly step: number;
  readonly compaction?: number;
  readonly outcome: string;
  readonly sentSha256: string;
}

interface StepRequest {
  readonly body: string;
  readonly pieces: readonly { readonly source: string; readonly role: string }[];
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
  const { turnId } = (await send('hello\n!prompt')) as { readonly turnId: string };
  const { steps } = await app.rest.ok<{ steps: readonly Step[] }>(`GET ${path}/turns/${turnId}/steps`);
  expect(steps.map(({ kind, step, compaction = 0, outcome }) => [kind, step, compaction, outcome])).toEqual([
    ['compaction', 1, 1, 'summarised'],
    ['model', 1, 0, 'answered'],
  ]);
  const request = await app.rest.ok<StepRequest>(
    `GET ${path}/turns/${turnId}/steps/1/request?compaction=1&include_body=true`,
  );
  expect(request).toMatchObject({ state: 'STEP_REQUEST_STATE_EXACT', rebuiltSha256: steps[0]?.sentSha256 });
  expect(request.body).toContain('word199');
  expect(request.pieces.at(-1)).toMatchObject({ source: 'instruction', role: 'user' });
  const other = await app.rest.call(`GET ${path}/turns/${turnId}/steps/1/request?compaction=2`);
  expect(other.status).toBe(404);
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
