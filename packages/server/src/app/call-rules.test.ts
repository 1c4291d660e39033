import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, AppUnderTest, gate, reasonOf } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;
beforeAll(async () => {
  await rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
});

const AGENTS = '/v1/ns/default/agents';
interface Problem {
  readonly error: { readonly details: readonly { readonly fieldViolations?: readonly { readonly field: string }[] }[] };
}
const fieldsOf = (body: unknown): string[] =>
  (body as Problem).error.details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field));

/** A call under a host name that is not of this machine; `fetch` cannot send one. */
const foreignHost = async (port: number): Promise<Answer> => {
  const sent = request({ port, host: '127.0.0.1', path: `${AGENTS}/helper`, headers: { host: 'example.org' } }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = (await json(answer)) as unknown;
  return { status: answer.statusCode ?? 0, headers: new Headers(answer.headers as Record<string, string>), body };
};

describe('a call is judged in this order (API-1.1)', () => {
  it('size, host and origin before the route', async () => {
    expect(await rest.outcome(`GET /v1/nowhere?${'x'.repeat(9000)}`)).toBe('414 TOO_LARGE');
    const foreign = { origin: 'https://example.org' };
    expect(await rest.outcome('GET /v1/nowhere', undefined, foreign)).toBe('403 ORIGIN');
  });

  it('route before the body, the body before validation, validation before what exists', async () => {
    expect(await rest.outcome('POST /v1/nowhere', '{')).toBe('404 ROUTE_UNKNOWN');
    expect(await rest.outcome(`PATCH ${AGENTS}`, '{')).toMatch(/^405/);
    expect(await rest.outcome(`POST ${AGENTS}`, '{')).toBe('400 JSON_INVALID');
    expect(await rest.outcome(`POST ${AGENTS}`, { name: '-', nonsense: 1 })).toBe('400 FIELD_UNKNOWN');
    expect(await rest.outcome('POST /v1/ns/nowhere/agents', { name: '-' })).toBe('400 FIELD_INVALID');
    expect(await rest.outcome('POST /v1/ns/nowhere/agents', { name: 'a' })).toBe('400 NAMESPACE_MISSING');
    const stale = { spec: { runtime: { kind: 'vm' } }, resourceVersion: '1' };
    expect(await rest.outcome(`PUT ${AGENTS}/helper`, stale)).toBe('400 FIELD_INVALID');
    const orphan = { labels: { 'svc/x': '1' }, parent: 'nowhere' };
    const { body } = await rest.call('POST /v1/namespaces/order', { ...orphan, parent: 'no where' });
    expect(fieldsOf(body)).toEqual(['parent', 'labels[svc/x]']);
    expect(await rest.outcome('POST /v1/namespaces/order', orphan)).toBe('400 SYSTEM_LABEL');
    expect(await rest.outcome('POST /v1/namespaces/order', { parent: 'nowhere' })).toBe('400 PARENT_MISSING');
  });

  it('all field faults come in one answer', async () => {
    const spec = {
      modelPolicy: {
        profiles: [
          { name: 'a', model: { name: '', temperature: 3 } },
          { name: 'a', model: { name: 'm' } },
        ],
      },
      runtime: { kind: 'vm' },
    };
    const { status, body } = await rest.call(`POST ${AGENTS}`, { name: '-', spec, labels: { 'svc/x': '1' } });
    expect(status).toBe(400);
    expect(fieldsOf(body).toSorted()).toEqual([
      'labels[svc/x]',
      'name',
      'spec.modelPolicy.profiles[0].model.name',
      'spec.modelPolicy.profiles[0].model.temperature',
      'spec.modelPolicy.profiles[1].name',
      'spec.runtime.kind',
    ]);
  });

  it.each([
    ['POST', '/message', { message: ' ' }],
    ['POST', '/messages:append', { message: { parts: [] } }],
    ['GET', '/messages?pageSize=-1', undefined],
    ['GET', '/turns?pageSize=-1', undefined],
    ['POST', '/permissions/none', {}],
  ])('%s %s of a session that is not there names the faults of its fields first', async (method, tail, body) => {
    const session = `${AGENTS}/helper/sessions/${randomUUID()}`;
    expect(await rest.outcome(`${method} ${session}${tail}`, body)).toBe('400 FIELD_INVALID');
  });

  it('every answer carries a request id: the one of the caller where it is printable', async () => {
    const given = await rest.call('GET /v1/namespaces', undefined, { 'x-request-id': 'mine-1' });
    expect(given.headers.get('x-request-id')).toBe('mine-1');
    const long = await rest.call('GET /v1/nowhere', undefined, { 'x-request-id': 'x'.repeat(129) });
    expect(long.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('names (API-1.2)', () => {
  it.each(['a', 'A.b_c-9', 'x'.repeat(63), '0'])('agent %j is accepted', async (name) => {
    expect(await rest.outcome(`POST ${AGENTS}`, { name })).toBe('200');
    expect(await rest.ok(`GET ${AGENTS}/${name}`)).toMatchObject({ agent: { metadata: { name } } });
  });

  it.each(['-a', 'a-', '.a', 'a b', ' a', 'a:b', 'ä', 'x'.repeat(64)])('agent %j is refused', async (name) => {
    expect(await rest.outcome(`POST ${AGENTS}`, { name })).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(`GET ${AGENTS}/${encodeURIComponent(name)}`)).toBe('404 AGENT_NOT_FOUND');
    expect(await rest.outcome(`PUT ${AGENTS}/${encodeURIComponent(name)}`, {})).toBe('404 AGENT_NOT_FOUND');
  });

  it.each(['a', 'A-b.c_d', 'x'.repeat(63), 'p:q:r'])('namespace %j is accepted', async (name) => {
    expect(await rest.outcome(`POST /v1/namespaces/${name}`, { recursive: true })).toBe('200');
  });

  it.each(['-a', 'a_', ':a', 'a::b', 'x'.repeat(64)])('namespace %j is refused', async (name) => {
    const path = `/v1/namespaces/${encodeURIComponent(name)}`;
    expect(await rest.outcome(`POST ${path}`, {})).toBe('400 FIELD_INVALID');
    expect(await rest.outcome(`GET ${path}`)).toBe('404 NAMESPACE_NOT_FOUND');
    expect(await rest.outcome(`DELETE ${path}`)).toBe('404 NAMESPACE_NOT_FOUND');
  });

  it.each([
    'GET',
    'DELETE',
    'POST :clear',
    'POST :stop',
    'POST /message',
    'GET /messages',
    'GET /stream',
    'GET /turns',
  ])('a malformed or unknown session id is not found by %s', async (what) => {
    const [method, tail = ''] = what.split(' ');
    const body = tail === '/message' ? { message: 'x' } : method === 'POST' ? {} : undefined;
    for (const id of ['nonsense', randomUUID()])
      expect(await rest.outcome(`${method} ${AGENTS}/helper/sessions/${id}${tail}`, body)).toBe(
        '404 SESSION_NOT_FOUND',
      );
  });

  it('path and metadata must agree', async () => {
    const agent = { metadata: { name: 'other', namespace: 'elsewhere' } };
    expect(await rest.outcome(`POST ${AGENTS}`, { name: 'mine', agent })).toBe('400 PATH_BODY_MISMATCH');
    expect(await rest.outcome(`PUT ${AGENTS}/helper`, { agent: 'other' })).toBe('400 PATH_BODY_MISMATCH');
  });
});

describe('labels and annotations (API-1.3)', () => {
  const many = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));

  it.each([
    ['64 of them', many(64), '200'],
    ['65 of them', many(65), '400 FIELD_INVALID'],
    ['a key of 317', { ['k'.repeat(317)]: 'v' }, '200'],
    ['a key of 318', { ['k'.repeat(318)]: 'v' }, '400 FIELD_INVALID'],
    ['a value of 1,024', { k: 'v'.repeat(1024) }, '200'],
    ['a value of 1,025', { k: 'v'.repeat(1025) }, '400 FIELD_INVALID'],
    ['a control character', { k: 'a\nb' }, '400 FIELD_INVALID'],
    ['a key that starts with a dot', { '.k': 'v' }, '400 FIELD_INVALID'],
    ['an empty key', { '': 'v' }, '400 FIELD_INVALID'],
    ['a key of the system', { 'svc/x': 'v' }, '400 SYSTEM_LABEL'],
  ])('%s', async (_, labels, expected) => {
    expect(await rest.outcome(`POST ${AGENTS}`, { labels })).toBe(expected);
    expect(await rest.outcome(`POST ${AGENTS}/helper/sessions`, { labels })).toBe(expected);
    expect(await rest.outcome(`POST /v1/namespaces/labels-${randomUUID()}`, { labels })).toBe(expected);
  });

  it('annotations are limited to 256 KiB together', async () => {
    const note = 'x'.repeat(200 * 1024);
    expect(await rest.outcome(`POST ${AGENTS}`, { annotations: { note } })).toBe('200');
    expect(await rest.outcome(`POST ${AGENTS}`, { annotations: { note, more: note } })).toBe('429 TOO_LARGE');
  });

  it.each([
    ['tier=gold', ['l1']],
    ['tier==gold', ['l1']],
    ['tier!=gold', ['l2', 'l3']],
    ['tier in (gold,silver)', ['l1', 'l2']],
    ['tier notin (gold)', ['l2', 'l3']],
    ['tier', ['l1', 'l2']],
    ['!tier', ['l3']],
    ['tier,zone=eu', ['l2']],
  ])('the selector %j finds %j', async (selector, expected) => {
    await rest.call('POST /v1/namespaces/labelled', {});
    const labels = { l1: { tier: 'gold' }, l2: { tier: 'silver', zone: 'eu' }, l3: { zone: 'eu' } };
    for (const [name, own] of Object.entries(labels))
      await rest.call('POST /v1/ns/labelled/agents', { name, labels: own });
    const path = `GET /v1/ns/labelled/agents?labelSelector=${encodeURIComponent(selector)}`;
    const page = await rest.ok<{ agents: { metadata: { name: string } }[] }>(path);
    expect(page.agents.map((agent) => agent.metadata.name)).toEqual(expected);
  });

  it('a malformed selector is refused', async () => {
    expect(await rest.outcome(`GET ${AGENTS}?labelSelector=%3Dx`)).toBe('400 FIELD_INVALID');
  });
});

describe('lists (API-1.6)', () => {
  interface Page {
    readonly namespaces: readonly { readonly metadata: { readonly name: string }; readonly spec?: unknown }[];
    readonly nextPageToken: string;
  }
  const list = (query: string): Promise<Page> => rest.ok<Page>(`GET /v1/namespaces?parent=pages${query}`);

  beforeAll(async () => {
    await rest.ok('POST /v1/namespaces/pages', {});
    for (let index = 0; index < 205; index += 1) await rest.ok(`POST /v1/namespaces/pages:n${index}`, {});
  });

  it.each([
    ['', 200],
    ['&pageSize=0', 200],
    ['&pageSize=3', 3],
    ['&page_size=3', 3],
    ['&limit=3', 3],
    ['&pageSize=100000', 200],
    ['&metadataOnly=true&pageSize=100000', 205],
  ])('of size %j hold %i', async (query, size) => {
    expect((await list(query)).namespaces).toHaveLength(size);
  });

  it('of negative size are refused', async () => {
    expect(await rest.outcome('GET /v1/namespaces?pageSize=-1')).toBe('400 FIELD_INVALID');
    expect(await rest.outcome('GET /v1/namespaces?pageSize=many')).toBe('400 FIELD_INVALID');
    expect(await rest.outcome('GET /v1/namespaces?size=1')).toBe('400 PARAMETER_UNKNOWN');
  });

  it('go on with their token, by name, to an empty token', async () => {
    const names: string[] = [];
    for (let token = '', pages = 0; pages < 5; pages += 1) {
      const page = await list(`&pageSize=90&pageToken=${encodeURIComponent(token)}`);
      names.push(...page.namespaces.map((namespace) => namespace.metadata.name));
      token = page.nextPageToken;
      if (token === '') break;
    }
    expect(names).toHaveLength(205);
    expect(names).toEqual(names.toSorted());
  });

  it('refuse a token of other parameters or of nobody', async () => {
    const { nextPageToken } = await list('&pageSize=90');
    const token = encodeURIComponent(nextPageToken);
    for (const query of [
      `parent=default&pageToken=${token}`,
      `parent=pages&recursive=true&pageToken=${token}`,
      'pageToken=x',
    ])
      expect(await rest.outcome(`GET /v1/namespaces?${query}`)).toBe('400 PAGE_TOKEN_INVALID');
  });

  it('of metadata only answer nothing else', async () => {
    const [first] = (await list('&metadataOnly=true&pageSize=1')).namespaces;
    expect(Object.keys(first ?? {})).toEqual(['metadata']);
  });
});

describe('refusals (API-1.8)', () => {
  const busy = async (): Promise<string> => {
    const session = await rest.session('helper');
    await rest.send(session, gate(1));
    return session;
  };
  interface Row {
    readonly status: string;
    readonly code: number;
    readonly reason: string;
    readonly grpc: string;
    readonly call: () => string | Promise<string>;
    readonly body?: object;
  }
  const rows: readonly Row[] = [
    {
      status: 'INVALID_ARGUMENT',
      code: 400,
      reason: 'FIELD_UNKNOWN',
      grpc: '3',
      call: () => `POST ${AGENTS}`,
      body: { spec: { nonsense: 1 } },
    },
    { status: 'NOT_FOUND', code: 404, reason: 'AGENT_NOT_FOUND', grpc: '5', call: () => `GET ${AGENTS}/missing` },
    {
      status: 'ALREADY_EXISTS',
      code: 409,
      reason: 'AGENT_EXISTS',
      grpc: '6',
      call: () => `POST ${AGENTS}`,
      body: { name: 'helper' },
    },
    { status: 'PERMISSION_DENIED', code: 403, reason: 'HOST', grpc: '7', call: () => `GET ${AGENTS}/helper` },
    {
      status: 'RESOURCE_EXHAUSTED',
      code: 429,
      reason: 'SESSION_BUSY',
      grpc: '8',
      call: async () => `POST ${await busy()}/message`,
      body: { message: 'x', whenBusy: 'REJECT' },
    },
    {
      status: 'FAILED_PRECONDITION',
      code: 400,
      reason: 'NAMESPACE_PROTECTED',
      grpc: '9',
      call: () => 'DELETE /v1/namespaces/default',
    },
    {
      status: 'ABORTED',
      code: 409,
      reason: 'CONFLICT',
      grpc: '10',
      call: () => `PUT ${AGENTS}/helper`,
      body: { resourceVersion: '1' },
    },
    {
      status: 'OUT_OF_RANGE',
      code: 400,
      reason: 'VERSION_EXPIRED',
      grpc: '11',
      call: () => 'GET /v1/ns/default/resources:watch?resourceVersion=999999999',
    },
    {
      status: 'UNIMPLEMENTED',
      code: 405,
      reason: 'METHOD_UNKNOWN',
      grpc: '12',
      call: () => `PATCH ${AGENTS}`,
      body: {},
    },
  ];

  it.each(rows)('$status is HTTP $code with reason $reason, in the body and the headers', async (row) => {
    const { status, code, reason, grpc, call, body } = row;
    const answer = await (reason === 'HOST' ? foreignHost(app.port) : rest.call(await call(), body));
    expect([answer.status, reasonOf(answer)]).toEqual([code, reason]);
    expect(answer.body).toMatchObject({ error: { code, status } });
    expect(answer.headers.get('grpc-status')).toBe(grpc);
    expect(answer.headers.get('grpc-message')).not.toBe('');
  });

  it('a conflict names the current version', async () => {
    const { agent } = await rest.ok<{ agent: { metadata: { resourceVersion: string } } }>(`GET ${AGENTS}/helper`);
    const { body } = await rest.call(`PUT ${AGENTS}/helper`, { resourceVersion: '1', labels: { a: 'b' } });
    expect(body).toMatchObject({
      error: {
        details: [{ reason: 'CONFLICT', domain: 'svc', metadata: { current: agent.metadata.resourceVersion } }],
      },
    });
  });
});
