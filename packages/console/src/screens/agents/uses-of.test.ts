import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ResourceSchema, type ResourceSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { referenceTo } from './uses-of.ts';

type SpecKind = NonNullable<MessageInitShape<typeof ResourceSpecSchema>['kind']>;

const use = (kind: SpecKind, ns = 'shop'): string | undefined =>
  referenceTo(create(ResourceSchema, { metadata: { name: 'x', namespace: ns }, spec: { kind } }), {
    ns: 'shop',
    name: 'clerk',
  });

describe('referenceTo', () => {
  const cases: readonly (readonly [SpecKind, string])[] = [
    [{ case: 'channelSubscription', value: { channel: 'desk', agent: 'clerk' } }, 'answers in desk'],
    [{ case: 'schedule', value: { target: { agent: 'clerk' } } }, 'starts it'],
    [{ case: 'workflow', value: { steps: [{ id: 'a' }, { id: 'b', agent: 'clerk' }] } }, 'runs it in b'],
    [{ case: 'connector', value: { consumer: { session: { agent: { name: 'clerk' } } } } }, 'sends messages to it'],
    [
      { case: 'connector', value: { consumer: { channel: { agent: { name: 'clerk' } } } } },
      'calls it for every message',
    ],
    [{ case: 'task', value: { delegate: { name: 'clerk' } } }, 'is delegated to it'],
    [{ case: 'task', value: { owner: { name: 'clerk' } } }, 'is owned by it'],
    [
      { case: 'agent', value: { a2a: { connections: [{ name: 'desk', target: { internal: { agent: 'clerk' } } }] } } },
      'delegates to it as desk',
    ],
  ];

  it.each(cases)('knows %j', (kind, text) => {
    expect(use(kind)).toBe(text);
  });

  it('tells agents of the same name in other namespaces apart', () => {
    expect(use({ case: 'schedule', value: { target: { agent: 'clerk' } } }, 'other')).toBeUndefined();
    expect(use({ case: 'task', value: { owner: { namespace: 'shop', name: 'clerk' } } }, 'other')).toBe(
      'is owned by it',
    );
    expect(use({ case: 'skill', value: {} })).toBeUndefined();
  });
});
