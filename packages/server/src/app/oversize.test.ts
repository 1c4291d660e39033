import { expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;

const MIB = 1024 * 1024;
const KIB = 1024;
const text = (bytes: number): string => 'x'.repeat(bytes + 1);
const put = (kind: string, spec: object, metadata: object = {}) =>
  [
    `PUT /v1/ns/default/resources/${kind}/big`,
    { manifest: { kind, metadata: { name: 'big', ...metadata }, spec: { [kind.toLowerCase()]: spec } } },
  ] as const;

/** Every content with a bound in bytes, and the sentence that the refusal has to hold. */
const CASES: readonly (readonly [string, readonly [string, object], string])[] = [
  ['a resource', put('Agent', { systemPrompt: text(MIB) }), `spec: has more than ${MIB} bytes (limits.resourceBytes)`],
  [
    'annotations',
    put('Channel', {}, { annotations: { note: text(256 * KIB) } }),
    `annotations: has more than ${256 * KIB} bytes (limits.annotationsBytes)`,
  ],
  [
    'a document',
    put('Knowledge', { path: 'a.md', content: text(MIB) }),
    `spec.content: has more than ${MIB} bytes (limits.knowledgeMax)`,
  ],
  ['a skill', put('Skill', { instructions: text(64 * KIB) }), `spec.instructions: has more than ${64 * KIB} bytes`],
  ['a secret', put('Secret', { stringData: { key: text(MIB) } }), `spec.data: has more than ${MIB} bytes`],
  [
    'a workflow',
    put('Workflow', { steps: [{ id: 'a', type: 'transform', inputJson: `"${text(256 * KIB)}"` }] }),
    `spec: has more than ${256 * KIB} bytes (limits.workflowDefinitionMax)`,
  ],
  [
    'the input of a schedule',
    put('Schedule', { intervalSeconds: 60, target: { agent: 'a' }, inputMessage: text(64 * KIB) }),
    `spec.inputMessage: has more than ${64 * KIB} bytes`,
  ],
  [
    'a message of a channel',
    ['POST /v1/ns/default/channels/room/messages', { content: text(64 * KIB) }],
    `content: has more than ${64 * KIB} bytes (limits.channelContentMax)`,
  ],
];

it.each(CASES)('content that is too large is refused alike: %s', async (...[, [what, body], sentence]) => {
  await rest.call('POST /v1/ns/default/channels', { channel: { metadata: { name: 'room' }, spec: {} } });
  expect(await rest.outcome(what, body)).toBe('429 TOO_LARGE');
  const answer = await rest.call(what, body);
  expect((answer.body as { error: { status: string; message: string } }).error).toMatchObject({
    status: 'RESOURCE_EXHAUSTED',
    message: expect.stringContaining(sentence),
  });
});

it('a message to an agent that is too large is refused like any other content', async () => {
  await rest.call('POST /v1/ns/default/agents', { name: 'a' });
  const { sessionId } = await rest.ok<{ sessionId: string }>('POST /v1/ns/default/agents/a/sessions', {});
  const path = `POST /v1/ns/default/agents/a/sessions/${sessionId}`;
  expect(await rest.outcome(`${path}/message`, { message: text(MIB) })).toBe('429 TOO_LARGE');
  const part = { partType: 'TEXT', content: text(MIB) };
  expect(await rest.outcome(`${path}/messages:append`, { message: { parts: [part] } })).toBe('429 TOO_LARGE');
});
