import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { TurnState } from '@svc/api/data';
import { GatewayService } from '@svc/api/gateway';
import { beforeAll, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const SESSIONS = '/v1/ns/default/agents/helper/sessions';

beforeAll(async () => {
  const text =
    'kind: UsagePolicy\nmetadata: {name: caps}\nspec: {hard: [{metric: llm.requests, max: 0, window: 1h}]}\n---\nkind: Agent\nmetadata: {name: helper}\n';
  await app.rest.ok('POST /v1/manifests:apply', { text });
});

const newSession = async (): Promise<string> =>
  (await app.rest.ok<{ sessionId: string }>(`POST ${SESSIONS}`, {})).sessionId;

/** The facts of the refusal, each on its own. */
const facts = {
  code: 'RESOURCE_EXHAUSTED',
  retryable: 'true',
  error_id: expect.stringMatching(/^[\da-f-]{36}$/),
  metric: 'llm.requests',
  policy: 'default/caps',
  used: '0',
  max: '0',
  reset_at: expect.stringMatching(/^\d{10}$/),
};

it('the answer of a waited send that a quota refused says which metric, which policy, and when it is free again', async () => {
  const path = `POST ${SESSIONS}/${await newSession()}/message`;
  const answer = await app.rest.ok(path, { message: 'hello', waitSeconds: 30 });
  expect(answer).toMatchObject({
    turnState: 'TURN_STATE_FAILED',
    error: expect.stringMatching(
      /the quota of llm\.requests is used up: 0 of 0 \(policy default\/caps, free again at \d{4}-\d\d-\d\dT[\d:]{8}Z\)/,
    ),
    errorReason: 'quota_exceeded',
    errorMetadata: facts,
  });
});

it.each<[string, (baseUrl: string) => Transport]>([
  ['gRPC', (baseUrl) => createGrpcTransport({ baseUrl })],
  ['gRPC JSON', (baseUrl) => createGrpcTransport({ baseUrl, useBinaryFormat: false })],
  ['gRPC-web', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ['Connect', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true })],
  ['Connect JSON', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false })],
])('the facts of a quota refusal are fields of a waited answer over %s', async (_, transport) => {
  const client = createClient(GatewayService, transport(app.url));
  const sessionId = await newSession();
  const answer = await client.sendMessage({
    ns: 'default',
    agent: 'helper',
    sessionId,
    message: 'hi',
    waitSeconds: 30,
  });
  expect(answer).toMatchObject({ turnState: TurnState.FAILED, errorReason: 'quota_exceeded', errorMetadata: facts });
});

it('an answer without a failure has no facts of one', async () => {
  const text = 'kind: UsagePolicy\nmetadata: {name: caps}\nspec: {hard: []}\n';
  await app.rest.ok('POST /v1/manifests:apply', { text });
  const path = `POST ${SESSIONS}/${await newSession()}/message`;
  const answer = await app.rest.ok(path, { message: 'hello', waitSeconds: 30 });
  expect(answer).toMatchObject({ turnState: 'TURN_STATE_COMPLETED', error: '', errorReason: '', errorMetadata: {} });
});
