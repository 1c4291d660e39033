import { toJson } from '@bufbuild/protobuf';
import { methods } from '@svc/api/methods';
import { beforeAll, describe, expect, test } from 'vitest';
import { Fault } from '../base/index.ts';
import { Codec } from '../transport/codec/index.ts';
import { type MethodEntry, methodTable } from '../transport/dispatcher/index.ts';
import { bodyBinder } from '../transport/rest/bind-body.ts';
import { bindPath } from '../transport/rest/bind-path.ts';
import { parseTemplate } from '../transport/rest/path-template.ts';
import { AppUnderTest } from './testing/index.ts';

const codec = new Codec({ depth: 100, elements: 200_000 });
const app = AppUnderTest.ofSuite();
let table: readonly MethodEntry[];
beforeAll(() => {
  table = methodTable(app.operations, []);
});

/** The request that a REST body means, as canonical JSON without defaults. */
const read = (name: string, params: string[], body: Record<string, unknown>): unknown => {
  const method = table.find((entry) => entry.operation.endsWith(`/${name}`));
  if (method === undefined) throw new Error(name);
  const fields = parseTemplate(method.http?.path ?? '').variables.map((variable) => {
    const field = method.input.fields.find((candidate) => candidate.name === variable);
    if (field === undefined) throw new Error(variable);
    return field;
  });
  const json = bodyBinder(method, codec.jsonDecoder)(body, params);
  bindPath(json, fields, params);
  return toJson(method.input, codec.jsonDecoder.decode(method.input, json));
};

const reasonOf = (name: string, params: string[], body: Record<string, unknown>): string => {
  try {
    read(name, params, body);
  } catch (error) {
    if (error instanceof Fault) return `${error.reason} ${error.violations[0]?.field}`;
    throw error;
  }
  return 'accepted';
};

const spec = { systemPrompt: 'hi' };

describe('CreateAgent reads', () => {
  const expected = { ns: 'n', name: 'a', spec, labels: { x: '1' } };
  test.each([
    ['its own fields', { name: 'a', spec, labels: { x: '1' } }],
    [
      'the bare resource',
      {
        apiVersion: 'svc/v1',
        kind: 'Agent',
        metadata: { name: 'a', labels: { x: '1' } },
        spec,
        status: { phase: 'Ready' },
      },
    ],
    ['the resource under its name', { agent: { metadata: { name: 'a', namespace: 'n', labels: { x: '1' } }, spec } }],
    ['names and labels standing directly in it', { agent: { name: 'a', labels: { x: '1' }, system_prompt: 'hi' } }],
    ['fields of the spec standing directly', { name: 'a', labels: { x: '1' }, systemPrompt: 'hi' }],
    ['a ResourceSpec', { name: 'a', labels: { x: '1' }, spec: { agent: spec } }],
    [
      'one thing said twice alike',
      { name: 'a', agent: { metadata: { name: 'a' }, spec }, spec, metadata: { labels: { x: '1' } } },
    ],
  ])('%s', (_, body) => {
    expect(read('CreateAgent', ['n'], body)).toEqual(expected);
  });

  test.each([
    ['another name', { name: 'a', metadata: { name: 'b' } }, 'PATH_BODY_MISMATCH metadata.name'],
    ['another namespace', { metadata: { namespace: 'm' } }, 'PATH_BODY_MISMATCH metadata.namespace'],
    ['another prompt', { spec, systemPrompt: 'ho' }, 'PATH_BODY_MISMATCH systemPrompt'],
    ['another label', { labels: { x: '1' }, metadata: { labels: { x: '2' } } }, 'PATH_BODY_MISMATCH metadata.labels.x'],
    ['another kind', { kind: 'Channel' }, 'PATH_BODY_MISMATCH kind'],
    ['another version', { apiVersion: 'v9' }, 'FIELD_INVALID apiVersion'],
    ['an unknown field', { nope: 1 }, 'FIELD_UNKNOWN nope'],
    ['an unknown field of metadata', { metadata: { nope: 1 } }, 'FIELD_UNKNOWN metadata.nope'],
    ['an unknown field of the spec', { spec: { nope: 1 } }, 'FIELD_UNKNOWN spec.nope'],
    ['a spec that is no object', { spec: 5 }, 'FIELD_INVALID spec'],
    ['the path again with another value', { ns: 'm' }, 'PATH_BODY_MISMATCH ns'],
    ['labels that are no object', { labels: 5 }, 'FIELD_INVALID labels'],
    ['a label that is no text', { labels: { a: 1 } }, 'FIELD_INVALID labels["a"]'],
    ['a label of the metadata', { metadata: { labels: { a: 1 } } }, 'FIELD_INVALID metadata.labels["a"]'],
    ['a label of the agent', { agent: { labels: { a: 1 } } }, 'FIELD_INVALID agent.labels["a"]'],
    [
      'metadata of the agent',
      { agent: { metadata: { owner_references: 1 } } },
      'FIELD_INVALID metadata.ownerReferences',
    ],
    ['an unknown field of the metadata', { agent: { metadata: { nope: 1 } } }, 'FIELD_UNKNOWN agent.metadata.nope'],
    ['a name that is no text', { name: 7 }, 'FIELD_INVALID name'],
  ])('refuses %s', (_, body, reason) => {
    expect(reasonOf('CreateAgent', ['n'], body)).toBe(reason);
  });
});

describe('A whole resource that is no object', () => {
  test.each([
    ['ApplyResource', ['n', 'Channel', 'c'], 'manifest', {}],
    ['ModifyChannel', ['n', 'c'], 'channel', { labels: { x: '1' } }],
    ['CreateMcpServer', [], 'server', { name: 'a' }],
    ['CreateMcpServer', [], 'mcpServer', { name: 'a' }],
  ])('is refused by %s %o: %s', (...[name, params, field, rest]) => {
    for (const value of ['x', 5, []]) {
      expect(reasonOf(name, params, { ...rest, [field]: value })).toBe(`FIELD_INVALID ${field}`);
    }
    expect(reasonOf(name, params, { ...rest, [field]: null })).toBe('accepted');
  });
});

test('A field of the path may be said again, but not in both spellings', () => {
  const path = ['n', 'a', 'id'];
  expect(reasonOf('ClearSession', path, { sessionId: 'id' })).toBe('accepted');
  expect(reasonOf('ClearSession', path, { session_id: 'id' })).toBe('accepted');
  expect(reasonOf('ClearSession', path, { sessionId: null, session_id: 'id' })).toBe('accepted');
  expect(reasonOf('ClearSession', path, { sessionId: 'id', session_id: 'id' })).toBe('FIELD_INVALID session_id');
  expect(reasonOf('ClearSession', path, { session_id: 'other' })).toBe('PATH_BODY_MISMATCH sessionId');
});

test('ModifyAgent takes the version and the name from the resource', () => {
  const body = { metadata: { name: 'a', resourceVersion: '7' }, spec, updateMask: 'spec.systemPrompt' };
  expect(read('ModifyAgent', ['n', 'a'], body)).toEqual({
    ns: 'n',
    agent: 'a',
    spec,
    resourceVersion: '7',
    updateMask: 'spec.systemPrompt',
  });
  expect(reasonOf('ModifyAgent', ['n', 'a'], { metadata: { name: 'b' } })).toBe('PATH_BODY_MISMATCH agent');
  expect(read('ModifyAgent', ['n', 'a'], { agent: 'a', systemPrompt: 'hi' })).toEqual({ ns: 'n', agent: 'a', spec });
});

test('CreateNamespace takes its parent from the spec and labels from metadata', () => {
  const expected = { name: 'c', parent: 'p', labels: { x: '1' }, recursive: true };
  expect(read('CreateNamespace', ['c'], { parent: 'p', labels: { x: '1' }, recursive: true })).toEqual(expected);
  expect(
    read('CreateNamespace', ['c'], {
      metadata: { name: 'c', labels: { x: '1' } },
      spec: { parent: 'p' },
      recursive: true,
    }),
  ).toEqual(expected);
  expect(
    read('CreateNamespace', ['c'], {
      namespace: { labels: { x: '1' }, spec: { namespace: { parent: 'p' } } },
      recursive: true,
    }),
  ).toEqual(expected);
  expect(reasonOf('CreateNamespace', ['c'], { parent: 'p', spec: { parent: 'q' } })).toBe(
    'PATH_BODY_MISMATCH spec.parent',
  );
});

test('metadata that a create has no field for is refused, not lost', () => {
  const owner = { kind: 'Agent', name: 'o', uid: 'u' };
  for (const [method, params, body, field] of [
    ['CreateSession', ['n', 'a'], { metadata: { name: 's' } }, 'metadata.name'],
    ['CreateSession', ['n', 'a'], { name: 's' }, 'metadata.name'],
    ['CreateSession', ['n', 'a'], { session: { metadata: { annotations: { a: 'b' } } } }, 'metadata.annotations'],
    ['CreateSession', ['n', 'a'], { metadata: { owner_references: [owner] } }, 'metadata.ownerReferences'],
    ['CreateAgent', ['n'], { metadata: { name: 'x', ownerReferences: [owner] } }, 'metadata.ownerReferences'],
    ['CreateAgent', ['n'], { name: 'x', metadata: { finalizers: ['a/b'] } }, 'metadata.finalizers'],
  ] as const)
    expect(reasonOf(method, [...params], body)).toBe(`FIELD_INVALID ${field}`);
  const answered = { name: '', annotations: {}, ownerReferences: [], finalizers: [], uid: 'u', generation: '3' };
  expect(read('CreateSession', ['n', 'a'], { metadata: answered })).toEqual({ ns: 'n', agent: 'a' });
  const kept = { ownerReferences: [owner], finalizers: ['a/b'] };
  expect(read('ModifyAgent', ['n', 'a'], { metadata: { name: 'a', ...kept } })).toEqual({ ns: 'n', agent: 'a' });
});

test('CreateSession gathers labels from metadata and spec', () => {
  const body = { labels: { a: '1' }, metadata: { labels: { b: '2' } }, spec: { agent: 'a', labels: { c: '3' } } };
  expect(read('CreateSession', ['n', 'a'], body)).toEqual({ ns: 'n', agent: 'a', labels: { a: '1', b: '2', c: '3' } });
  expect(reasonOf('CreateSession', ['n', 'a'], { spec: { agent: 'b' } })).toBe('PATH_BODY_MISMATCH spec.agent');
  expect(reasonOf('CreateSession', ['n', 'a'], { spec: { nope: 'b' } })).toBe('FIELD_UNKNOWN spec.nope');
});

describe('requests that carry the whole resource', () => {
  test('read it under its field, under its kind, bare, and flat', () => {
    const expected = { server: { metadata: { name: 's' }, spec: { transport: 'http', target: 'https://x' } } };
    const mcp = { transport: 'http', target: 'https://x' };
    for (const body of [
      { server: { metadata: { name: 's' }, spec: mcp } },
      { mcpServer: { name: 's', ...mcp } },
      { mcp_server: { name: 's', spec: { mcpServer: mcp } } },
      { metadata: { name: 's' }, spec: mcp },
      { name: 's', ...mcp },
    ]) {
      expect(read('CreateMcpServer', [], body)).toEqual(expected);
    }
  });

  test('are filled in from the path', () => {
    expect(read('CreateSchedule', ['n'], { name: 's', kind: 'Schedule', cron: '* * * * *' })).toEqual({
      ns: 'n',
      schedule: { metadata: { name: 's', namespace: 'n' }, spec: { cron: '* * * * *' } },
    });
    expect(read('ModifyChannel', ['n', 'c'], { title: 'T', status: { phase: 'closed' } })).toEqual({
      ns: 'n',
      name: 'c',
      channel: { metadata: { name: 'c', namespace: 'n' }, spec: { title: 'T' }, status: { phase: 'closed' } },
    });
    expect(read('CreateChannelSubscription', ['n', 'c'], { name: 's', agent: 'a' })).toEqual({
      ns: 'n',
      channel: 'c',
      subscription: { metadata: { name: 's', namespace: 'n' }, spec: { agent: 'a', channel: 'c' } },
    });
    expect(reasonOf('ModifyChannel', ['n', 'c'], { channel: { metadata: { name: 'd' } } })).toBe(
      'PATH_BODY_MISMATCH metadata.name',
    );
    expect(reasonOf('CreateChannelSubscription', ['n', 'c'], { subscription: { spec: { channel: 'd' } } })).toBe(
      'PATH_BODY_MISMATCH spec.channel',
    );
  });

  test('are left empty when the body says nothing of them', () => {
    expect(read('CreateSchedule', ['n'], {})).toEqual({ ns: 'n' });
  });

  test('keep fields of the request beside them', () => {
    expect(
      read('CreateFile', ['n'], { path: '/a', content: 'aGk=', filename: 'f', file: { metadata: { name: 'x' } } }),
    ).toEqual({
      ns: 'n',
      content: 'aGk=',
      filename: 'f',
      file: { metadata: { name: 'x', namespace: 'n' }, spec: { path: '/a' } },
    });
  });

  test('name unknown fields', () => {
    expect(reasonOf('CreateSchedule', ['n'], { nope: 1 })).toBe('FIELD_UNKNOWN nope');
    expect(reasonOf('CreateSchedule', ['n'], { schedule: { nope: 1 } })).toBe('FIELD_UNKNOWN schedule.nope');
    expect(reasonOf('CreateMcpServer', [], { mcpServer: { spec: { nope: 1 } } })).toBe(
      'FIELD_UNKNOWN server.spec.nope',
    );
  });
});

test('CreateAgentTemplate reads the spec to render in three forms', () => {
  const forms = [{ specJson: '{"systemPrompt":"hi"}' }, { spec: { systemPrompt: 'hi' } }, { systemPrompt: 'hi' }];
  for (const form of forms) {
    expect(read('CreateAgentTemplate', [], { template: { metadata: { name: 't' }, spec: form } })).toEqual({
      template: { metadata: { name: 't' }, spec: { specJson: '{"systemPrompt":"hi"}' } },
    });
  }
});

describe('ApplyResource', () => {
  const expected = {
    ns: 'n',
    kind: 'Channel',
    name: 'c',
    manifest: {
      apiVersion: 'svc/v1',
      kind: 'Channel',
      metadata: { name: 'c', namespace: 'n' },
      spec: { channel: { title: 'T' } },
    },
    dryRun: true,
  };

  test.each([
    [
      'a manifest',
      {
        manifest: { apiVersion: 'svc/v1', kind: 'Channel', metadata: { name: 'c' }, spec: { channel: { title: 'T' } } },
        dryRun: true,
      },
    ],
    [
      'a bare manifest',
      {
        apiVersion: 'svc/v1',
        kind: 'Channel',
        metadata: { name: 'c' },
        spec: { channel: { title: 'T' } },
        dryRun: true,
      },
    ],
    ['a bare spec', { apiVersion: 'svc/v1', kind: 'Channel', spec: { title: 'T' }, dryRun: true }],
  ])('reads %s', (_, body) => {
    expect(read('ApplyResource', ['n', 'Channel', 'c'], body)).toEqual(expected);
  });

  test('leaves a spec of another kind to validation and refuses another kind or name', () => {
    expect(read('ApplyResource', ['n', 'Channel', 'c'], { spec: { agent: {} } })).toMatchObject({
      manifest: { spec: { agent: {} } },
    });
    expect(reasonOf('ApplyResource', ['n', 'Channel', 'c'], { kind: 'Agent' })).toBe('PATH_BODY_MISMATCH kind');
    expect(reasonOf('ApplyResource', ['n', 'Channel', 'c'], { metadata: { name: 'd' } })).toBe(
      'PATH_BODY_MISMATCH metadata.name',
    );
  });

  test('keeps the spec of a custom kind as raw JSON', () => {
    expect(
      read('ApplyResource', ['n', 'Widget', 'w'], { apiVersion: 'example.org/v1', spec: { size: 3 } }),
    ).toMatchObject({
      manifest: { apiVersion: 'example.org/v1', kind: 'Widget', spec: { raw: { json: '{"size":3}' } } },
    });
  });
});

describe('message bodies', () => {
  const send = (body: Record<string, unknown>): unknown => read('SendMessage', ['n', 'a', 's'], body);
  const base = { ns: 'n', agent: 'a', sessionId: 's' };
  const image = { partType: 'SESSION_MESSAGE_PART_TYPE_IMAGE', payloadJson: '{"url":"https://x"}' };

  test.each([
    ['message', { message: 'hi' }],
    ['text', { text: 'hi' }],
    ['content', { content: 'hi' }],
    ['an object with text', { message: { text: 'hi' } }],
    ['an object with content', { message: { role: 'user', content: 'hi' } }],
    ['an object with short parts', { message: { parts: [{ type: 'text', text: 'hi' }] } }],
    ['a list of content parts', { content: [{ type: 'text', text: 'hi' }] }],
    ['TEXT parts only', { parts: [{ type: 'TEXT', text: 'hi' }] }],
    ['one thing twice', { text: 'hi', message: 'hi' }],
  ])('SendMessage reads %s', (_, body) => {
    expect(send(body)).toEqual({ ...base, message: 'hi' });
  });

  test('SendMessage keeps other parts and refuses two different texts', () => {
    expect(
      send({
        message: { text: 'hi', parts: undefined },
        parts: [{ type: 'image', payloadJson: { url: 'https://x' } }],
      }),
    ).toEqual({ ...base, message: 'hi', parts: [image] });
    expect(
      send({
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image', payload_json: { url: 'https://x' } },
        ],
      }),
    ).toEqual({ ...base, message: 'hi', parts: [image] });
    expect(reasonOf('SendMessage', ['n', 'a', 's'], { text: 'hi', message: 'ho' })).toBe('PATH_BODY_MISMATCH message');
    expect(reasonOf('SendMessage', ['n', 'a', 's'], { text: 5 })).toBe('FIELD_INVALID message');
    expect(reasonOf('SendMessage', ['n', 'a', 's'], { message: { nope: 1 } })).toBe('FIELD_UNKNOWN nope');
  });

  test.each([
    ['a text', { message: 'hi' }],
    ['text', { text: 'hi' }],
    ['an object with content', { message: { content: 'hi' } }],
    ['an object with parts', { message: { parts: [{ type: 'text', text: 'hi' }] } }],
    ['parts alone', { parts: [{ type: 'text', text: 'hi' }] }],
  ])('AppendSessionMessage reads %s', (_, body) => {
    const part = { partType: 'SESSION_MESSAGE_PART_TYPE_TEXT', content: 'hi' };
    expect(read('AppendSessionMessage', ['n', 'a', 's'], body)).toEqual({ ...base, message: { parts: [part] } });
  });

  test('AppendSessionMessage keeps id, role and labels', () => {
    const message = { id: 'x', role: 'assistant', labels: { a: '1' }, text: 'hi' };
    expect(read('AppendSessionMessage', ['n', 'a', 's'], { message })).toMatchObject({
      message: { id: 'x', role: 'ROLE_ASSISTANT', labels: { a: '1' } },
    });
    expect(reasonOf('AppendSessionMessage', ['n', 'a', 's'], { message: { text: 'a', content: 'b' } })).toBe(
      'PATH_BODY_MISMATCH message',
    );
  });

  test.each([
    ['content', { content: 'hi' }],
    ['text', { text: 'hi' }],
    ['message', { message: 'hi' }],
    ['an object', { message: { text: 'hi' } }],
    ['parts', { message: { parts: [{ type: 'text', text: 'hi' }] } }],
  ])('PostChannelMessage reads %s', (_, body) => {
    expect(read('PostChannelMessage', ['n', 'c'], { ...body, author: 'me' })).toEqual({
      ns: 'n',
      channel: 'c',
      content: 'hi',
      author: 'me',
    });
  });

  test('UpdateSessionMessage reads short parts', () => {
    expect(read('UpdateSessionMessage', ['n', 'a', 's', 'm'], { parts: [{ type: 'text', text: 'hi' }] })).toMatchObject(
      { parts: [{ content: 'hi' }] },
    );
  });
});

test('every body of an operation in its own fields stays as it is', () => {
  for (const method of methods.filter(({ http }) => http.body === '*')) {
    const params = parseTemplate(method.http.path).variables.map((name) => (name === 'kind' ? 'Agent' : 'x'));
    const own = Object.fromEntries(
      method.input.fields.filter((field) => field.fieldKind === 'map').map((field) => [field.jsonName, { a: 'b' }]),
    );
    expect(read(method.name, params, { ...own })).toMatchObject(own);
  }
});
