import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, systemRandom } from '../base/index.ts';
import { loadConfig } from './config/index.ts';
import { startApp } from './index.ts';
import type { RunningServer } from './server.ts';
import { createLog } from './telemetry/index.ts';
import { OtlpReceiver } from './telemetry/testing/index.ts';

/** JSON as a test looks into it. */
// biome-ignore lint/suspicious/noExplicitAny: answers and log lines are read by path, and wrong ones fail the expectation
type Json = any;

interface Call {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const TOKEN = 'canary-token-canary-token';
const PROVIDER_KEY = 'canary-provider-key';
/** Texts that only contents, headers and secrets hold; none may leave the process as a line, a span or a figure. */
const SECRETS = [
  TOKEN,
  PROVIDER_KEY,
  'canary-prompt',
  'canary-system',
  'canary-reply',
  'canary-input',
  '4242424242',
  'canary-header',
  'canary-value',
  Buffer.from('canary-value').toString('base64'),
  'canary-json',
  'canary-query',
  'canary-upstream',
];
const TRACE = '0af7651916cd43dd8448eb211c80319c';

/** A provider that refuses everything and repeats what it was sent. */
const refusingProvider = async (): Promise<Server> => {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const message = `canary-upstream ${Buffer.concat(pieces).toString()} ${request.headers.authorization}`;
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

const lines: string[] = [];
const receiver = new OtlpReceiver();
let provider: Server;
let dataDir: string;
let server: RunningServer;
let metrics: string;
let breaks: string | undefined;
const errors: Json[] = [];

const headers = {
  authorization: `Bearer ${TOKEN}`,
  'x-canary': 'canary-header',
  traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
};

/** One call such as `GET /v1/namespaces`; a text body is sent as it is. */
const call = async (what: string, { body, ...more }: Call = {}): Promise<Json> => {
  const [method = '', path = ''] = what.split(' ');
  const sent = { 'content-type': 'application/json', ...(more.headers ?? headers) };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(server.url + path, {
    method,
    headers: sent,
    ...(text === undefined ? {} : { body: text }),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
};

/** Runs a turn to its end and keeps its error, if it has one. */
const turn = async (session: string, message: string): Promise<void> => {
  const answer = await call(`POST ${session}/message`, { body: { message, waitSeconds: 30 } });
  expect(answer).toMatchObject({ status: 200 });
  const { items } = await call(`GET ${session}/messages`);
  const parts = items.at(-1).message.parts as Json[];
  const error = parts.find((part) => part.partType?.endsWith('_ERROR'));
  if (error !== undefined) errors.push({ ...JSON.parse(error.payloadJson), turn: answer.turnId, session });
};

const makeSession = async (agent: string, spec: object): Promise<string> => {
  await call('POST /v1/ns/default/agents', { body: { name: agent, spec } });
  const { sessionId } = await call(`POST /v1/ns/default/agents/${agent}/sessions`, { body: {} });
  return `/v1/ns/default/agents/${agent}/sessions/${sessionId}`;
};

const talk = async (): Promise<void> => {
  const session = await makeSession('helper', { systemPrompt: 'canary-system' });
  await turn(session, 'canary-prompt');
  await turn(session, '!say canary-reply');
  await turn(session, '!tool calculate {"expression":"4242424200+42"}');
  await turn(session, '!tool calculate {"expression":"canary-input"}');
  await turn(session, '!canary-prompt');
  await turn(session, '!error provider_unavailable');
  breaks = 'before-tool';
  await turn(session, '!tool calculate {"expression":"1+1"}');
  breaks = undefined;
  const model = { provider: 'refusing', name: 'm' };
  const refused = { modelPolicy: { profiles: [{ name: 'default', model }] } };
  await turn(await makeSession('unlucky', refused), 'canary-prompt');
};

const misuse = async (): Promise<void> => {
  const send = 'POST /v1/ns/default/agents/helper/sessions/none/message';
  expect(await call(send, { body: '{"message": canary-json' })).toMatchObject({ status: 400 });
  expect(await call(send, { body: { message: 'canary-prompt', 'canary-json': 1 } })).toMatchObject({ status: 400 });
  expect(await call('GET /v1/ns/default/agents?canary-query=canary-query')).toMatchObject({ status: 400 });
  const stranger = { authorization: 'Bearer canary-header' };
  expect(await call('GET /v1/namespaces', { headers: stranger })).toMatchObject({ status: 401 });
  const data = { key: Buffer.from('canary-value').toString('base64') };
  const metadata = { name: 'one', namespace: 'default' };
  const manifest = { kind: 'Secret', metadata, spec: { data } };
  const written = await call('PUT /v1/ns/default/resources/Secret/one', { body: { manifest } });
  expect(written, JSON.stringify(written)).toMatchObject({ status: 200 });
};

beforeAll(async () => {
  provider = await refusingProvider();
  dataDir = await mkdtemp(join(tmpdir(), 'svc-observed-'));
  const { port } = provider.address() as AddressInfo;
  const providers = {
    demo: { type: 'demo', rate: 0 },
    refusing: { type: 'openai-compatible', baseUrl: `http://127.0.0.1:${port}`, apiKey: PROVIDER_KEY },
  };
  const flags = {
    dataDir,
    'server.listen': '127.0.0.1:0',
    'store.sync': 'off',
    'auth.mode': 'token',
    'auth.token': TOKEN,
    'models.tries': '1',
    'models.providers': JSON.stringify(providers),
    'telemetry.logLevel': 'debug',
    'telemetry.logFormat': 'json',
    'telemetry.otlpEndpoint': await receiver.listen(),
  };
  const { config } = loadConfig({ flags, environment: {}, cwd: dataDir });
  const log = createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  server = await startApp(config, {
    clock: systemClock,
    random: systemRandom,
    log,
    environment: {},
    fatal: (error) => {
      throw error;
    },
    faultPoint: (point) => {
      if (point === breaks) throw new SyntaxError('Unexpected token, "canary-input" is not valid JSON');
    },
  });
  await talk();
  await misuse();
  metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
  await server.close();
});

afterAll(async () => {
  await receiver.close();
  provider.close();
  await rm(dataDir, { recursive: true, force: true });
});

const parsed = (): Json[] => lines.map((line) => JSON.parse(line));

describe('what leaves the process (R73, 12.81)', () => {
  it('is not empty', () => {
    expect(lines.length).toBeGreaterThan(10);
    expect(receiver.spans.map((span) => span.name)).toContain('execute_tool calculate');
    expect(metrics).toContain('gen_ai_client_operation_duration_seconds_count');
    expect(errors).toHaveLength(4);
  });

  it.each(SECRETS)('holds no %s in a log line, a span or a figure', (secret) => {
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
    expect(receiver.bodies.filter((body) => body.includes(secret))).toEqual([]);
    expect(metrics.includes(secret)).toBe(false);
  });
});

describe('an error that a user sees (R74)', () => {
  it('has an id that stands in one log line with its namespace, agent, session, turn and class', () => {
    for (const error of errors) {
      const found = lines.filter((line) => line.includes(error.error_id));
      expect(found).toHaveLength(1);
      const [, , , namespace, , agent, , session] = error.session.split('/');
      const names = { namespace, agent, session, turn: error.turn, class: error.reason };
      expect(JSON.parse(found[0] ?? '')).toMatchObject({ error_id: error.error_id, ...names });
    }
    expect(errors.map((error) => error.reason)).toEqual([
      'provider_invalid_request',
      'provider_unavailable',
      'internal',
      'provider_invalid_request',
    ]);
  });
});

describe('a turn', () => {
  it('has one line with the request and the trace that caused it, and its outcome', () => {
    const sent = parsed().filter(
      (line) => line.msg === 'request' && line.operation?.endsWith('/SendMessage') && line.code === 'OK',
    );
    const ended = parsed().filter((line) => line.msg === 'turn ended');
    expect(ended).toHaveLength(8);
    expect(ended.map((line) => line.request_id)).toEqual(sent.map((line) => line.request_id));
    expect(ended[0]).toMatchObject({ state: 'COMPLETED', namespace: 'default', agent: 'helper', caller: 'token' });
    expect(ended[0].trace_id).toBe(TRACE);
    expect(sent[0]).toMatchObject({ namespace: 'default', agent: 'helper', caller: 'token', trace_id: TRACE });
    expect(typeof ended[0].duration_ms).toBe('number');
  });

  it('has a span for each attempt in the trace of its caller, with its model and tool calls below', () => {
    const roots = receiver.spans.filter((span) => span.name.startsWith('invoke_agent'));
    expect(roots).toHaveLength(8);
    expect(new Set(receiver.spans.map((span) => span.traceId))).toEqual(new Set([TRACE]));
    const ids = new Set(roots.map((span) => span.spanId));
    const children = receiver.spans.filter((span) => !roots.includes(span));
    expect(children.every((span) => ids.has(span.parentSpanId))).toBe(true);
    const failed = roots.filter((span) => span.attributes['svc.turn.state'] === 'FAILED');
    expect(failed.map((span) => span.attributes['error.type'])).toEqual(errors.map((error) => error.reason));
  });
});
