import { create } from '@bufbuild/protobuf';
import { SessionMessagePartEventSchema } from '@svc/api/events';
import {
  AgentResponseSchema,
  GetAgentResponseSchema,
  type SendMessageRequest,
  SendMessageResponseSchema,
  SessionResponseSchema,
  WhenBusy,
} from '@svc/api/gateway';
import { methods } from '@svc/api/methods';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from './client.ts';
import type { ClientOptions } from './client-options.ts';
import { failureOf } from './testing/failure.ts';
import { EagerClock } from './testing/fake-clock.ts';
import { FakeFault, type FakeHandlers, FakeServer } from './testing/fake-server.ts';
import { event, key } from './testing/fake-session.ts';

let server: FakeServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const clientOf = async (handlers: FakeHandlers, options: Partial<ClientOptions> = {}) => {
  server = await new FakeServer(handlers).start();
  let texts = 0;
  const uniqueText = (): string => `key-${++texts}`;
  return createClient({ baseUrl: `${server.url}/`, clock: new EagerClock(), random: () => 0, uniqueText, ...options });
};

describe('typed calls', () => {
  it('exist for every operation that the gateway serves', async () => {
    const client = await clientOf({});
    const groups: readonly object[] = [
      client.gateway,
      client.resources,
      client.sessionControl,
      client.workflows,
      client.tasks,
      client.usage,
      client.mcpSignIns,
      client.tools,
      client.trails,
      client.sandboxes,
      client.routing,
      client.files,
      client.auth,
      client.admin,
      client.deliveries,
    ];
    const names = groups.flatMap((group) => Object.keys(group));
    const expected = methods
      .filter((method) => method.service.startsWith('svc.gateway.'))
      .map((method) => method.descriptor.localName);
    expect(names.toSorted()).toEqual(expected.toSorted());
  });

  it('carry the request and answer whole messages', async () => {
    const client = await clientOf({
      unary: {
        GetAgent: (request: { ns: string; name: string }) =>
          create(GetAgentResponseSchema, { agent: { metadata: { name: `${request.ns}/${request.name}` } } }),
      },
    });
    const { agent } = await client.gateway.getAgent({ ns: 'acme', name: 'helper' });
    expect(agent?.metadata?.name).toBe('acme/helper');
  });

  it.each([
    [{ token: 'abc' }, { authorization: 'Bearer abc' }],
    [{ token: async () => 'renewed' }, { authorization: 'Bearer renewed' }],
    [{ apiKey: 'svc_1_2' }, { 'x-api-key': 'svc_1_2' }],
    [{ basic: { password: 'pä' } }, { authorization: `Basic ${Buffer.from('svc:pä').toString('base64')}` }],
    [{ headers: { 'x-request-id': 'mine' } }, { 'x-request-id': 'mine' }],
  ] as const)('sign in with %o', async (options, expected) => {
    const client = await clientOf({}, options);
    await failureOf(client.auth.whoAmI({}));
    expect(server?.calls[0]?.headers).toMatchObject(expected);
  });
});

describe('failures', () => {
  it('carry code, reason, violations, metadata, request id and wait', async () => {
    const client = await clientOf({
      unary: {
        CreateAgent: () => {
          throw new FakeFault({
            code: 'INVALID_ARGUMENT',
            reason: 'FIELD_INVALID',
            message: 'name is wrong',
            metadata: { ns: 'default' },
            violations: [['name', 'has a blank', 'NAME']],
            retryAfterMs: 1_500,
          });
        },
      },
    });
    expect(await failureOf(client.gateway.createAgent({ ns: 'default', name: 'a b' }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'FIELD_INVALID',
      message: 'name is wrong',
      metadata: { ns: 'default' },
      violations: [{ field: 'name', description: 'has a blank', reason: 'NAME' }],
      requestId: 'req-1',
      retryAfterMs: 1_500,
      httpStatus: 400,
    });
  });

  it('of another kind of server say so', async () => {
    const answers = [
      [404, 'UNIMPLEMENTED'],
      [401, 'UNAUTHENTICATED'],
      [403, 'PERMISSION_DENIED'],
      [502, 'UNAVAILABLE'],
      [418, 'INTERNAL'],
      [200, 'UNKNOWN'],
    ] as const;
    for (const [status, code] of answers) {
      const fetch = () => Promise.resolve(new Response('<html>', { status }));
      const client = createClient({ baseUrl: 'http://other.test', fetch, retry: { tries: 1 } });
      expect(await failureOf(client.auth.whoAmI({}))).toMatchObject({ code, reason: '', httpStatus: status });
    }
  });

  it('to connect name the address', async () => {
    const client = await clientOf({}, { retry: { tries: 1 } });
    await server?.stop();
    const url = server?.url;
    server = undefined;
    expect(await failureOf(client.auth.whoAmI({}))).toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'UNREACHABLE',
      message: `cannot reach ${url} (ECONNREFUSED)`,
    });
  });

  it('by the deadline or the caller are told apart', async () => {
    const clock = new EagerClock();
    const unary = { GetAgent: () => new Promise<never>(() => undefined) };
    const client = await clientOf({ unary }, { clock });
    const late = failureOf(client.gateway.getAgent({ ns: 'a', name: 'b' }, { timeoutMs: 50_000 }));
    clock.advance(51_000);
    expect(await late).toMatchObject({ code: 'DEADLINE_EXCEEDED', reason: 'DEADLINE' });
    const abort = new AbortController();
    const given = failureOf(client.gateway.getAgent({ ns: 'a', name: 'b' }, { signal: abort.signal }));
    abort.abort();
    expect(await given).toMatchObject({ code: 'CANCELLED', reason: 'ABORTED' });
    expect(clock.pendingDeadlines).toBe(0);
  });

  it('refuse an address that is none', () => {
    expect(() => createClient({ baseUrl: 'ftp://a' })).toThrow(TypeError);
    expect(() => createClient({ baseUrl: 'nowhere' })).toThrow(TypeError);
  });
});

describe('repeats', () => {
  const failing = (times: number, fault: FakeFault | 'cut', answer: () => ReturnType<typeof create>) => {
    let count = 0;
    return () => {
      count += 1;
      if (count > times) return answer();
      if (fault === 'cut') return 'cut' as const;
      throw fault;
    };
  };
  const sent = () => create(SendMessageResponseSchema, { turnId: 't1' });
  const keys = (): unknown[] => server?.calls.map((call) => call.headers['idempotency-key']) ?? [];
  const storage = new FakeFault({ code: 'UNAVAILABLE', reason: 'STORAGE', retryAfterMs: 2_000 });

  it('use one idempotency key for all tries of a write', async () => {
    const client = await clientOf({ unary: { SendMessage: failing(2, 'cut', sent) } });
    expect(await client.session(key).send('hi')).toMatchObject({ turnId: 't1' });
    expect(keys()).toEqual(['key-1', 'key-1', 'key-1']);
    await client.session(key).send('hi');
    expect(keys()[3]).toBe('key-2');
  });

  it('use the key of the caller', async () => {
    const client = await clientOf({ unary: { SendMessage: sent } });
    await client.session(key).send('hi', { idempotencyKey: 'mine' });
    expect(keys()).toEqual(['mine']);
  });

  it('wait as long as the server asks', async () => {
    const clock = new EagerClock();
    const client = await clientOf(
      { unary: { GetAgent: failing(1, storage, () => create(GetAgentResponseSchema)) } },
      { clock },
    );
    await client.gateway.getAgent({ ns: 'a', name: 'b' });
    expect(clock.waits).toEqual([2_000]);
  });

  it('end after four tries', async () => {
    const client = await clientOf({ unary: { GetAgent: failing(9, storage, () => create(GetAgentResponseSchema)) } });
    expect(await failureOf(client.gateway.getAgent({ ns: 'a', name: 'b' }))).toMatchObject({ reason: 'STORAGE' });
    expect(server?.calls).toHaveLength(4);
  });

  it('never happen for a write that may have had its effect', async () => {
    const client = await clientOf({ unary: { CreateAgent: failing(1, 'cut', () => create(AgentResponseSchema)) } });
    expect(await failureOf(client.gateway.createAgent({ ns: 'a', name: 'b' }))).toMatchObject({
      reason: 'INTERRUPTED',
    });
    expect(server?.calls).toHaveLength(1);
  });

  it('happen for any call that the server refused unseen', async () => {
    const drain = new FakeFault({ code: 'UNAVAILABLE', reason: 'SHUTTING_DOWN' });
    const client = await clientOf({ unary: { CreateAgent: failing(1, drain, () => create(AgentResponseSchema)) } });
    await client.gateway.createAgent({ ns: 'a', name: 'b' });
    expect(server?.calls).toHaveLength(2);
  });

  it('stop when the caller gives up between two tries', async () => {
    const abort = new AbortController();
    const unary = {
      GetAgent: () => {
        setImmediate(() => abort.abort());
        throw storage;
      },
    };
    const client = await clientOf({ unary });
    expect((await failureOf(client.gateway.getAgent({ ns: 'a', name: 'b' }, { signal: abort.signal }))).code).toBe(
      'CANCELLED',
    );
    expect(server?.calls).toHaveLength(1);
  });
});

describe('a session', () => {
  it('sends with everything that a message may carry', async () => {
    const seen: SendMessageRequest[] = [];
    const unary = {
      CreateSession: () => create(SessionResponseSchema, { sessionId: key.sessionId }),
      SendMessage: (request: SendMessageRequest) => {
        seen.push(request);
        return create(SendMessageResponseSchema, { turnId: 't1', reply: 'ok' });
      },
    };
    const client = await clientOf({ unary });
    const session = await client.createSession({ ns: key.ns, agent: key.agent });
    const answer = await session.send('hi', { waitSeconds: 30, whenBusy: 'steer', labels: { a: 'b' } });
    expect(answer.reply).toBe('ok');
    expect(seen[0]).toMatchObject({
      ...key,
      message: 'hi',
      waitSeconds: 30,
      whenBusy: WhenBusy.STEER,
      labels: { a: 'b' },
    });
    expect(server?.calls[1]?.headers['connect-timeout-ms']).toBe('90000');
  });

  it('asks: sends and yields exactly the events of that turn', async () => {
    const queries: string[] = [];
    const client = await clientOf({
      unary: { SendMessage: () => create(SendMessageResponseSchema, { turnId: 't1' }) },
      streams: {
        StreamSessionParts: (call) => {
          queries.push(call.query.toString());
          return [event(1, { text: 'hello' }), event(2, { kind: 2 })];
        },
      },
    });
    const kinds: number[] = [];
    for await (const item of client.session(key).ask('hi')) kinds.push(item.kind);
    expect(kinds).toEqual([1, 2]);
    expect(queries).toEqual(['turnId=t1']);
  });

  it('streams a batch as a POST with a body', async () => {
    const client = await clientOf({
      streams: { StreamSessionPartsBatch: () => [create(SessionMessagePartEventSchema, { cursor: 'x' })] },
    });
    const seen: string[] = [];
    for await (const item of client.gateway.streamSessionPartsBatch({ sessions: [key], untilDone: true }))
      seen.push(item.cursor);
    expect(seen).toEqual(['x']);
  });
});
