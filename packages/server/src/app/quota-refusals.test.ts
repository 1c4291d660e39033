import { expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();

it('the answer of a waited send that a quota refused says which metric, which policy, and when it is free again', async () => {
  const text =
    'kind: UsagePolicy\nmetadata: {name: caps}\nspec: {hard: [{metric: llm.requests, max: 0, window: 1h}]}\n---\nkind: Agent\nmetadata: {name: helper}\n';
  await app.rest.ok('POST /v1/manifests:apply', { text });
  const { sessionId } = (await app.rest.ok('POST /v1/ns/default/agents/helper/sessions', {})) as { sessionId: string };
  const path = `POST /v1/ns/default/agents/helper/sessions/${sessionId}/message`;
  const answer = await app.rest.ok(path, { message: 'hello', waitSeconds: 30 });
  expect(answer).toMatchObject({
    turnState: 'TURN_STATE_FAILED',
    error: expect.stringMatching(
      /the quota of llm\.requests is used up: 0 of 0 \(policy default\/caps, free again at \d{4}-\d\d-\d\dT[\d:]{8}Z\)/,
    ),
  });
});
