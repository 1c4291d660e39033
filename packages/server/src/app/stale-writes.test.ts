import { expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;

/** A version that some resource had once. */
const resourceVersion = '7';

it.each([
  ['an agent', 'POST /v1/ns/default/agents', { metadata: { name: 'gone', resourceVersion } }, '404 AGENT_NOT_FOUND'],
  [
    'a channel',
    'POST /v1/ns/default/channels',
    { channel: { metadata: { name: 'gone', resourceVersion }, spec: {} } },
    '404 CHANNEL_NOT_FOUND',
  ],
  [
    'a schedule',
    'POST /v1/ns/default/schedules',
    {
      schedule: { metadata: { name: 'gone', resourceVersion }, spec: { intervalSeconds: 60, target: { agent: 'a' } } },
    },
    '404 SCHEDULE_NOT_FOUND',
  ],
  [
    'a file',
    'POST /v1/ns/default/files',
    { file: { metadata: { resourceVersion }, spec: { path: '/gone.md' } }, content: 'eA==' },
    '404 FILE_NOT_FOUND',
  ],
  ['a namespace', 'POST /v1/namespaces/gone', { metadata: { resourceVersion } }, '404 NAMESPACE_NOT_FOUND'],
  ['a session', 'POST /v1/ns/default/agents/a/sessions', { metadata: { resourceVersion } }, '400 FIELD_INVALID'],
])(
  'a create that carries the version of something deleted does not bring back %s',
  async (...[, what, body, refusal]) => {
    await rest.call('POST /v1/ns/default/agents', { name: 'a' });
    expect(await rest.outcome(what, body)).toBe(refusal);
  },
);

it('a create of what is there says so, whatever version it carries', async () => {
  await rest.call('POST /v1/ns/default/agents', { name: 'there' });
  expect(await rest.outcome('POST /v1/ns/default/agents', { metadata: { name: 'there', resourceVersion } })).toBe(
    '409 AGENT_EXISTS',
  );
});

it('a deleted namespace comes back by a new create, not by a body that was read before', async () => {
  const { namespace } = await rest.ok<{ namespace: { metadata: object } }>('POST /v1/namespaces/once', {});
  expect(await rest.outcome('POST /v1/namespaces/once', { namespace })).toBe('200');
  await rest.ok('DELETE /v1/namespaces/once');
  expect(await rest.outcome('POST /v1/namespaces/once', { namespace })).toBe('409 CONFLICT');
  expect(await rest.outcome('POST /v1/namespaces/once', {})).toBe('200');
});

it('finalizers and owners in a ModifyAgent pass as they are stored, and are refused when they differ', async () => {
  const owner = await rest.ok<{ agent: { metadata: { uid: string } } }>('POST /v1/ns/default/agents', {
    name: 'owner',
  });
  const ownerReferences = [{ kind: 'Agent', namespace: 'default', name: 'owner', uid: owner.agent.metadata.uid }];
  await rest.ok('PUT /v1/ns/default/resources/Agent/held', {
    manifest: { kind: 'Agent', metadata: { name: 'held', finalizers: ['example.org/x'], ownerReferences }, spec: {} },
  });
  const { agent } = await rest.ok<{ agent: { metadata: object } }>('GET /v1/ns/default/agents/held');
  const path = 'PUT /v1/ns/default/agents/held';
  expect(await rest.outcome(path, { agent: { ...agent, spec: { systemPrompt: 'x' } } })).toBe('200');
  for (const metadata of [{ finalizers: [] }, { finalizers: ['example.org/y'] }, { ownerReferences: [] }])
    expect([metadata, await rest.outcome(path, { metadata })]).toEqual([metadata, '400 FIELD_INVALID']);
  const { body } = await rest.call(path, { metadata: { finalizers: [] } });
  expect(JSON.stringify(body)).toContain('"field":"metadata.finalizers"');
  // What was read before another change is stale first of all.
  expect(await rest.outcome(path, { agent: { ...agent, metadata: { ...agent.metadata, finalizers: [] } } })).toBe(
    '409 CONFLICT',
  );
});
