import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;
beforeAll(async () => {
  await rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
});

const AGENTS = '/v1/ns/default/agents';
const spec = { systemPrompt: 'Be brief.' };
const labels = { team: 'a' };
const unique = (): string => `n-${randomUUID()}`;

describe('a resource as a body (API-3)', () => {
  const forms: readonly (readonly [string, (name: string) => object])[] = [
    ['in the fields of the request', (name) => ({ name, spec, labels })],
    [
      'bare',
      (name) => ({ apiVersion: 'svc/v1', kind: 'Agent', metadata: { name, labels }, spec, status: { phase: 'x' } }),
    ],
    ['under the name of its kind', (name) => ({ agent: { metadata: { name, labels }, spec } })],
    ['with name, labels and fields of the spec standing in it', (name) => ({ agent: { name, labels, ...spec } })],
    ['with fields of the spec beside the name', (name) => ({ name, labels, ...spec })],
    ['with a ResourceSpec', (name) => ({ name, labels, spec: { agent: spec } })],
    ['in snake_case', (name) => ({ agent: { metadata: { name, labels }, spec: { system_prompt: 'Be brief.' } } })],
    ['said twice alike', (name) => ({ name, spec, agent: { metadata: { name, labels }, spec } })],
  ];

  it.each(forms)('creates the agent: %s', async (_, body) => {
    const name = unique();
    await rest.ok(`POST ${AGENTS}`, body(name));
    const expected = { metadata: { name, namespace: 'default', labels }, spec, status: { phase: 'Ready' } };
    expect(await rest.ok(`GET ${AGENTS}/${name}`)).toMatchObject({ agent: expected });
  });

  it.each(forms)('changes the agent: %s', async (_, body) => {
    const name = unique();
    await rest.ok(`POST ${AGENTS}`, { name, spec: { systemPrompt: 'before' } });
    const { name: _own, ...fields } = body(name) as { name?: string };
    const answer = await rest.ok(`PUT ${AGENTS}/${name}`, fields);
    expect(answer).toMatchObject({ agent: { metadata: { name, labels, generation: '2' }, spec } });
  });

  it.each([
    ['two names', { name: 'a', agent: { metadata: { name: 'b' } } }],
    ['two specs', { name: 'a', spec, agent: { spec: { systemPrompt: 'Other.' } } }],
    ['two values of one label', { name: 'a', labels, agent: { metadata: { labels: { team: 'b' } } } }],
    ['another namespace', { name: 'a', agent: { metadata: { namespace: 'other' } } }],
  ])('is refused when it says %s', async (_, body) => {
    expect(await rest.outcome(`POST ${AGENTS}`, body)).toBe('400 PATH_BODY_MISMATCH');
  });

  it.each([
    ['specJson, then spec', { specJson: '{}', spec: { systemPrompt: 'x' } }],
    ['spec, then specJson', { spec: { systemPrompt: 'x' }, specJson: '{}' }],
    ['both spellings', { specJson: '{}', spec_json: '{"systemPrompt":"x"}' }],
  ])('of a template says its spec once: %s', async (_, template) => {
    expect(await rest.outcome('POST /v1/templates', { name: 'twice', spec: template })).toBe('400 PATH_BODY_MISMATCH');
  });

  it('of a binding may name its server directly, by each of its names', async () => {
    await rest.ok('POST /v1/mcp-servers', { name: 'tools', transport: 'http', target: 'http://127.0.0.1:9/mcp' });
    for (const key of ['serverRef', 'server', 'mcpServer', 'mcp_server']) {
      const body = { name: unique(), [key]: 'tools' };
      expect(await rest.ok('POST /v1/namespaces/default/mcp-bindings', body)).toMatchObject({
        binding: { spec: { serverRef: 'tools' } },
      });
    }
    const twice = { name: unique(), serverRef: 'tools', server: 'other' };
    expect(await rest.outcome('POST /v1/namespaces/default/mcp-bindings', twice)).toBe('400 FIELD_INVALID');
  });

  it.each([
    ['POST /v1/ns/default/agents', '{"__proto__":{"a":1}}'],
    ['POST /v1/ns/default/agents', '{"agent":{"__proto__":{"a":1}}}'],
    ['POST /v1/ns/default/channels', '{"name":"c","__proto__":{"a":1}}'],
    ['POST /v1/ns/default/channels', '{"channel":{"name":"c","spec":{"__proto__":{"a":1}}}}'],
    ['POST /v1/templates', '{"name":"c","spec":{"__proto__":{"a":1}}}'],
    ['PUT /v1/ns/default/resources/Skill/c', '{"__proto__":{"a":1}}'],
  ])('of %s is refused for a member named __proto__: %s', async (path, body) => {
    expect(await rest.outcome(path, body)).toMatch(/^400 (FIELD_UNKNOWN|FIELD_INVALID)$/);
  });

  it('of a namespace gives parent, labels and annotations', async () => {
    const [parent, child] = [unique(), unique()];
    await rest.ok(`POST /v1/namespaces/${parent}`, { metadata: { labels, annotations: { note: 'x' } } });
    expect(await rest.ok(`GET /v1/namespaces/${parent}`)).toMatchObject({
      namespace: { metadata: { name: parent, labels, annotations: { note: 'x' } } },
    });
    await rest.ok(`POST /v1/namespaces/${child}`, { namespace: { spec: { parent } } });
    expect(await rest.ok(`GET /v1/namespaces/${child}`)).toMatchObject({ namespace: { spec: { parent } } });
  });

  it.each([
    ['metadata', { metadata: { labels } }],
    ['its spec', { spec: { labels } }],
    ['its own field', { labels }],
    ['the session', { session: { metadata: { labels } } }],
  ])('of a session gives labels in %s', async (_, body) => {
    expect(await rest.ok(`POST ${AGENTS}/helper/sessions`, body)).toMatchObject({ labels });
  });
});

describe('a message as a body (API-3)', () => {
  const said = 'You said: hi';
  it.each([
    ['message', { message: 'hi' }],
    ['text', { text: 'hi' }],
    ['content', { content: 'hi' }],
    ['an object with text', { message: { text: 'hi' } }],
    ['an object with content', { message: { content: 'hi' } }],
    ['an object with parts', { message: { parts: [{ type: 'text', text: 'hi' }] } }],
    ['parts', { parts: [{ type: 'text', text: 'hi' }] }],
    ['parts in their own fields', { parts: [{ partType: 'TEXT', content: 'hi' }] }],
  ])('SendMessage reads %s', async (_, body) => {
    const session = await rest.session('helper');
    const answer = await rest.ok(`POST ${session}/message`, { ...body, waitSeconds: 30 });
    expect(answer).toMatchObject({ reply: said, turnState: 'TURN_STATE_COMPLETED' });
  });

  it.each([
    ['message as text', { message: 'hi' }],
    ['text', { text: 'hi' }],
    ['content', { content: 'hi' }],
    ['an object with text', { message: { text: 'hi' } }],
    ['an object with content', { message: { content: 'hi' } }],
    ['short parts', { message: { parts: [{ type: 'text', text: 'hi' }] } }],
    ['whole parts', { message: { parts: [{ part_type: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: 'hi' }] } }],
  ])('AppendSessionMessage reads %s', async (_, body) => {
    const session = await rest.session('helper');
    const part = { id: '000000', partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: 'hi' };
    expect(await rest.ok(`POST ${session}/messages:append`, body)).toMatchObject({
      message: { role: 'ROLE_USER', parts: [part] },
    });
  });

  it('to be appended keeps the parts beside its text', async () => {
    const session = await rest.session('helper');
    const contents = async (body: object): Promise<unknown> => {
      const { message } = await rest.ok<{ message: { parts: { content: string }[] } }>(
        `POST ${session}/messages:append`,
        body,
      );
      return message.parts.map(({ content }) => content);
    };
    const parts = [{ type: 'text', text: 'b' }];
    expect(await contents({ message: 'a', parts })).toEqual(['a', 'b']);
    expect(await contents({ message: { parts }, parts })).toEqual(['b', 'b']);
    expect(await rest.outcome(`POST ${session}/messages:append`, { message: 'a', parts: 5 })).toBe('400 FIELD_INVALID');
  });

  it('to be sent is nobody else’s than the user’s', async () => {
    const session = await rest.session('helper');
    const send = (role: unknown): Promise<string> =>
      rest.outcome(`POST ${session}/message`, { message: { role, content: 'x' } });
    for (const role of ['user', 'ROLE_USER', 1]) expect([role, await send(role)]).toEqual([role, '200']);
    for (const role of ['assistant', 'ROLE_SYSTEM', 2])
      expect([role, await send(role)]).toEqual([role, '400 FIELD_UNKNOWN']);
  });

  it('with two different texts is refused', async () => {
    const session = await rest.session('helper');
    expect(await rest.outcome(`POST ${session}/message`, { message: 'a', text: 'b' })).toBe('400 PATH_BODY_MISMATCH');
  });
});

describe('input and output (API-3)', () => {
  it('reads enums by full name, short name in any case, and number', async () => {
    const session = await rest.session('helper');
    for (const whenBusy of ['WHEN_BUSY_QUEUE', 'queue', 'QUEUE', 1, '1'])
      expect([whenBusy, await rest.outcome(`POST ${session}/message`, { message: 'x', whenBusy })]).toEqual([
        whenBusy,
        '200',
      ]);
    expect(await rest.outcome(`POST ${session}/message`, { message: 'x', whenBusy: 'never' })).toBe(
      '400 FIELD_INVALID',
    );
  });

  it('takes null for absent, an empty body for {}, and refuses both spellings of one field', async () => {
    const session = await rest.session('helper');
    expect(await rest.outcome(`POST ${session}/message`, { message: 'x', labels: null })).toBe('200');
    expect(await rest.outcome(`POST ${session}:stop`, '')).toBe('200');
    const twice = { message: 'x', whenBusy: 'QUEUE', when_busy: 'QUEUE' };
    expect(await rest.outcome(`POST ${session}/message`, twice)).toMatch(/^400 /);
  });

  it('writes every field without presence, integers of 64 bits as text, and compact', async () => {
    const session = await rest.session('helper');
    const text = await (await rest.fetch(session)).text();
    expect(JSON.parse(text)).toMatchObject({ messages: [], queuedTurns: 0, activeTurnId: '', labels: {} });
    expect(text).not.toMatch(/[{,]\s/);
    const agent = await rest.ok<{ agent: { metadata: { generation: unknown } } }>(`GET ${AGENTS}/helper`);
    expect(agent.agent.metadata.generation).toBe('1');
  });

  it('reads query parameters in both spellings and refuses unknown ones and bodies on GET', async () => {
    expect(await rest.outcome('GET /v1/namespaces?include_deleted=true')).toBe('200');
    expect(await rest.outcome('GET /v1/namespaces?includeDeleted=yes')).toBe('400 FIELD_INVALID');
    expect(await rest.outcome('DELETE /v1/namespaces/none', { purge: true })).toMatch(/^400 /);
    expect(await rest.outcome('DELETE /v1/namespaces/none', {})).toBe('404 NAMESPACE_NOT_FOUND');
  });

  it.each([
    ['/v1/namespaces/', 404],
    ['/v1//namespaces', 404],
    ['/v1/namespaces/default:clear', 404],
    ['/v1/namespaces/default%3Aclear', 404],
  ])('GET %s is %i', async (path, status) => {
    expect((await rest.call(`GET ${path}`)).status).toBe(status);
  });
});
