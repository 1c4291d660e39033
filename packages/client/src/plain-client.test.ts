import { create } from '@bufbuild/protobuf';
import { SessionMessagePartEventSchema } from '@svc/api/events';
import { type GetAgentRequest, GetAgentResponseSchema, SendMessageResponseSchema } from '@svc/api/gateway';
import { methods } from '@svc/api/methods';
import { afterEach, describe, expect, it } from 'vitest';
import { isSvcError, SvcError } from './error.ts';
import { createPlainClient, streamRetryMs } from './plain-client.ts';
import { EagerClock } from './testing/fake-clock.ts';
import { FakeFault, type FakeHandlers, FakeServer } from './testing/fake-server.ts';
import { isRetryable } from './transport/retry-rules.ts';

let server: FakeServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const clientOf = async (handlers: FakeHandlers, clock = new EagerClock()) => {
  server = await new FakeServer(handlers).start();
  return createPlainClient({
    baseUrl: `${server.url}/`,
    token: 'secret',
    clock,
    random: () => 0,
    uniqueText: () => 'k',
  });
};

describe('calls in JSON', () => {
  it('send and answer what the REST binding words, with the credential', async () => {
    const asked: string[] = [];
    const client = await clientOf({
      unary: {
        GetAgent: ({ ns, name }: GetAgentRequest) => {
          asked.push(`${ns}/${name}`);
          return create(GetAgentResponseSchema, { agent: { metadata: { name: 'helper', generation: 3n } } });
        },
      },
    });
    const { agent } = await client.call('GatewayService/GetAgent', { ns: 'acme', name: 'helper' });
    expect(asked).toEqual(['acme/helper']);
    expect(agent).toMatchObject({ metadata: { name: 'helper', generation: '3', labels: {} } });
    expect(server?.calls[0]?.headers).toMatchObject({ authorization: 'Bearer secret' });
    expect(client.baseUrl).toBe(server?.url);
  });

  it('fail with the reason and the fields that the server names', async () => {
    const fault = new FakeFault({
      ...{ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID', message: 'no', metadata: { a: 'b' } },
      violations: [['spec.x', 'is wrong', 'WRONG']],
    });
    const client = await clientOf({
      unary: {
        GetAgent: () => {
          throw fault;
        },
      },
    });
    const failure = await client.call('GatewayService/GetAgent', {}).catch((error: unknown) => error);
    expect(isSvcError(failure) && [failure.code, failure.reason, failure.metadata, failure.violations]).toEqual([
      ...['INVALID_ARGUMENT', 'FIELD_INVALID', { a: 'b' }],
      [{ field: 'spec.x', description: 'is wrong', reason: 'WRONG' }],
    ]);
  });

  it('are repeated where that is safe, with one idempotency key, and wait as long as they ask the server to', async () => {
    const keys: unknown[] = [];
    const client = await clientOf({
      unary: {
        SendMessage: (_request, { headers }) => {
          keys.push([headers['idempotency-key'], headers['connect-timeout-ms']]);
          return keys.length === 1 ? 'cut' : create(SendMessageResponseSchema, { reply: 'done' });
        },
      },
    });
    const { reply } = await client.call('GatewayService/SendMessage', { message: 'hi', waitSeconds: 5 });
    expect([reply, keys]).toEqual([
      'done',
      [
        ['k', '65000'],
        ['k', '65000'],
      ],
    ]);
    await client.call('GatewayService/SendMessage', { message: 'hi' }, { idempotencyKey: 'own' });
    expect(keys.at(-1)).toEqual(['own', '60000']);
  });
});

describe('what is not one call', () => {
  it('is a stream of messages in JSON, which ends as the server says', async () => {
    const event = create(SessionMessagePartEventSchema, { cursor: 'c1', sequence: 7n });
    const error =
      '{"error":{"status":"ABORTED","details":[{"@type":"x/google.rpc.ErrorInfo","reason":"SLOW_CONSUMER"}]}}\n';
    const client = await clientOf({ streams: { StreamSessionParts: () => [event, { raw: error }] } });
    const seen: unknown[] = [];
    const path = '/v1/ns/acme/agents/a/sessions/s/stream?after=live';
    const reading = async (): Promise<void> => {
      for await (const line of client.lines({ verb: 'GET', path, onOpen: () => seen.push('open') })) seen.push(line);
    };
    await expect(reading()).rejects.toMatchObject({ code: 'ABORTED', reason: 'SLOW_CONSUMER' });
    expect(seen).toMatchObject(['open', { cursor: 'c1', sequence: '7' }]);
  });

  it('is a request of any path, with the credential, whose refusal is an error like any other', async () => {
    const client = await clientOf({});
    const refused = await client.open({ verb: 'GET', path: '/v1/nothing' }).catch((error: unknown) => error);
    expect(isSvcError(refused) && refused.httpStatus).toBe(404);
    await server?.stop();
    await expect(client.open({ verb: 'GET', path: '/v1/nothing' })).rejects.toMatchObject({ reason: 'UNREACHABLE' });
    await server?.start();
  });
});

it('waits for the next try of a stream, unless only the reader was slow', () => {
  const policy = { tries: 1, firstDelayMs: 100, maxDelayMs: 1_000 };
  const errorOf = (reason: string, retryAfterMs?: number) =>
    new SvcError({ code: 'UNAVAILABLE', reason, message: '', ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
  const waitMs = (failures: number, error: SvcError | undefined): number =>
    streamRetryMs(policy, failures, { error, random: () => 0 });
  expect([waitMs(1, undefined), waitMs(3, undefined), waitMs(9, undefined)]).toEqual([50, 200, 500]);
  expect([waitMs(1, errorOf('SLOW_CONSUMER')), waitMs(1, errorOf('STORAGE', 700))]).toEqual([0, 700]);
});

it('knows reads by their name: they are what REST binds to GET', () => {
  const broken = new SvcError({ code: 'UNAVAILABLE', reason: 'INTERRUPTED', message: '' });
  const gets = methods.filter(({ http, kind }) => http.verb === 'GET' && kind === 'unary').map(({ name }) => name);
  const repeated = methods.filter(({ kind, name }) => kind === 'unary' && isRetryable(name, broken));
  expect(gets.filter((name) => !isRetryable(name, broken))).toEqual([]);
  expect(repeated.filter(({ http }) => http.verb !== 'GET').map(({ name }) => name)).toEqual([
    'SearchKnowledge',
    'CreateSession',
    'ClearSession',
    'SendMessage',
    'AppendSessionMessage',
    'StopSessionGeneration',
    'PostChannelMessage',
    'ApplyResource',
    'UpdateSessionMessage',
    'AnswerPermission',
    'SearchSessions',
    'CreateRun',
    'CancelRun',
    'CompleteUpload',
    'RevokeApiKey',
  ]);
});
