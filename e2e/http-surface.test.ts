import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { methods } from '@svc/api/methods';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RestCaller } from './calls/index.ts';
import { MockModel, wordsFrom } from './mock-model/index.ts';
import { ServerProcess } from './server-process/index.ts';

interface ErrorBody {
  readonly error: {
    readonly code: number;
    readonly status: string;
    readonly details: readonly { readonly reason?: string }[];
  };
}

let model: MockModel;
let server: ServerProcess;
let rest: RestCaller;
beforeAll(async () => {
  model = await MockModel.start();
  server = await ServerProcess.start({ environment: model.environment });
  rest = new RestCaller(server.url);
  await rest.createAgent('one');
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

const reasonOf = (body: ErrorBody): string => body.error.details[0]?.reason ?? '';

/** fetch may not set Host; node:http may. */
const statusWith = (headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(`${server.url}/v1/namespaces`, { headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    request.on('error', reject).end();
  });

describe('a server without authentication', () => {
  it.each(['localhost', '127.0.0.1', '[::1]', 'app.localhost'])('serves the host name %s', async (name) => {
    expect(await statusWith({ host: `${name}:${server.port}` })).toBe(200);
  });

  it.each(['evil.example', `evil.example:7420`, '127.0.0.1.evil.example', '192.168.1.1'])(
    'refuses the host name %s',
    async (host) => {
      expect(await statusWith({ host })).toBe(403);
    },
  );

  it('refuses a foreign origin before any effect', async () => {
    const answer = await rest.call<ErrorBody>(
      'POST /v1/ns/default/agents',
      { name: 'evil' },
      { origin: 'https://evil.example' },
    );
    expect([answer.status, reasonOf(answer.body)]).toEqual([403, 'ORIGIN']);
    expect((await rest.call('GET /v1/ns/default/agents/evil')).status).toBe(404);
  });

  it('answers the preflight of a page on this machine and lets it read the answer', async () => {
    const origin = 'http://localhost:5173';
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    const preflight = await rest.fetch('/v1/ns/default/agents', { method: 'OPTIONS', headers: asked });
    expect(preflight.ok).toBe(true);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    expect(preflight.headers.get('access-control-max-age')).toBe('7200');
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const answer = await rest.call('GET /v1/namespaces', undefined, { origin });
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-expose-headers')).toContain('grpc-status-details-bin');
  });
});

describe('limits', () => {
  it('refuses what is too large, unpacked too, with 413, 414 and 431', async () => {
    const huge = gzipSync(JSON.stringify({ name: 'x', spec: { systemPrompt: 'x'.repeat(9 << 20) } }));
    const packed = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const body = await rest.fetch('/v1/ns/default/agents', { method: 'POST', headers: packed, body: huge });
    expect([body.status, reasonOf((await body.json()) as ErrorBody)]).toEqual([413, 'TOO_LARGE']);
    const long = await rest.fetch(`/v1/namespaces?labelSelector=${'x'.repeat(9 << 10)}`);
    expect(long.status).toBe(414);
    const headers = await rest.fetch('/v1/namespaces', { headers: { 'x-filler': 'x'.repeat(40 << 10) } });
    expect(headers.status).toBe(431);
  });

  it('refuses JSON that is broken, too deep or unknown, and names the place', async () => {
    const post = async (body: string): Promise<[number, string]> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await rest.fetch('/v1/ns/default/agents', { method: 'POST', headers, body });
      return [answer.status, reasonOf((await answer.json()) as ErrorBody)];
    };
    expect(await post('{"name":')).toEqual([400, 'JSON_INVALID']);
    expect(await post('{"nonsense":1}')).toEqual([400, 'FIELD_UNKNOWN']);
    expect((await post(`{"spec":${'['.repeat(200)}${']'.repeat(200)}}`))[0]).toBe(400);
    const parameter = await rest.call<ErrorBody>('GET /v1/namespaces?nonsense=1');
    expect([parameter.status, reasonOf(parameter.body)]).toEqual([400, 'PARAMETER_UNKNOWN']);
    const route = await rest.call<ErrorBody>('GET /v1/nowhere');
    expect([route.status, reasonOf(route.body)]).toEqual([404, 'ROUTE_UNKNOWN']);
  });

  it('keeps a deadline of the client without stopping the turn', async () => {
    const session = await rest.createSession('one');
    const { streamCursor } = await rest.messagePage(session);
    const request = {
      ns: 'default',
      agent: 'one',
      sessionId: session[1],
      message: 'words 2; gate deadline 1',
      waitSeconds: 30,
    };
    const answer = await rest.call<{ code: string }>('POST /svc.gateway.GatewayService/SendMessage', request, {
      'connect-timeout-ms': '200',
    });
    expect([answer.status, answer.body.code]).toEqual([504, 'deadline_exceeded']);
    model.open('deadline');
    const events = await rest.stream(session, `?untilDone=true&after=${encodeURIComponent(streamCursor)}`);
    await events.text();
    expect(await rest.messages(session)).toHaveLength(2);
  });
});

describe('what operators read', () => {
  it('serves metrics that a Prometheus parser takes', async () => {
    const answer = await rest.fetch('/metrics');
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const lines = (await answer.text()).split('\n').filter((line) => line !== '');
    const sample = /^[a-zA-Z_:][\w:]*(\{([a-zA-Z_]\w*="(\\.|[^"\\])*",?)*\})? (NaN|[+-]?Inf|[-+.\deE]+)( \d+)?$/;
    for (const line of lines) expect(line).toMatch(line.startsWith('#') ? /^# (HELP|TYPE) \w+/ : sample);
    const types = new Map(
      lines.flatMap((line) => [...line.matchAll(/^# TYPE (\w+) (\w+)$/g)].map((match) => [match[1], match[2]])),
    );
    expect(types.get('svc_requests_total')).toBe('counter');
    expect([...types.values()].every((type) => ['counter', 'gauge', 'histogram', 'summary'].includes(type ?? ''))).toBe(
      true,
    );
  });

  it('describes every operation of REST in /openapi.json', async () => {
    interface Operation {
      readonly operationId: string;
      readonly parameters?: readonly { readonly name: string; readonly in: string }[];
    }
    const document = await rest.ok<{
      openapi: string;
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, unknown> };
    }>('GET /openapi.json');
    expect(document.openapi).toMatch(/^3\.1/);
    for (const { http, name } of methods) {
      const operation = document.paths[http.path]?.[http.verb.toLowerCase()];
      expect(operation?.operationId, name).toContain(name);
      const inPath = [...http.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const described = operation?.parameters
        ?.filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.name);
      expect(described ?? []).toEqual(inPath);
    }
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(100);
    for (const [, schema] of references) expect(document.components.schemas).toHaveProperty([schema ?? '']);
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('answers health, readiness and the version without a credential', async () => {
    for (const path of ['/healthz', '/readyz', '/version']) expect((await rest.fetch(path)).status).toBe(200);
    const id = 'a-request-of-mine';
    expect((await rest.call('GET /v1/namespaces', undefined, { 'x-request-id': id })).headers.get('x-request-id')).toBe(
      id,
    );
  });

  it('logs no prompt and no reply', async () => {
    await using talkative = await ServerProcess.start({
      environment: { ...model.environment, SVC_TELEMETRY_LOG_LEVEL: 'debug', SVC_TELEMETRY_LOG_FORMAT: 'json' },
    });
    const caller = new RestCaller(talkative.url);
    await caller.createAgent('one', { systemPrompt: 'a very private rule' });
    const session = await caller.createSession('one');
    const sent = await caller.send(session, 'a very private sentence\nwords 5', { waitSeconds: 30 });
    expect(sent.reply).toBe(wordsFrom(0, 5).join(''));
    await talkative.stop();
    // The call and its turn are logged, so that what they were about could be.
    const lines = talkative.log.split('\n');
    expect(lines.filter((line) => line.includes('SendMessage'))).not.toEqual([]);
    expect(lines.filter((line) => line.includes('turn ended') && line.includes(sent.turnId))).toHaveLength(1);
    for (const secret of ['private sentence', 'private rule', sent.reply.trim()])
      expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  });
});
