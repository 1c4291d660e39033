import { create } from '@bufbuild/protobuf';
import { SessionListItemSchema } from '@svc/api/gateway';
import { ResourceSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { byActivity, lineOfItem, lineOfResource } from './session-line.ts';

const item = create(SessionListItemSchema, {
  sessionId: 's1',
  state: 'PROCESSING',
  labels: { a: 'b' },
  createdAt: 1n,
  updatedAt: 2n,
});

it('is the same from both lists', () => {
  const resource = create(ResourceSchema, {
    kind: 'Session',
    metadata: { name: 's1', namespace: 'default', labels: { a: 'b' } },
    spec: { kind: { case: 'session', value: { agent: 'demo' } } },
    status: { kind: { case: 'session', value: { phase: 'Processing', createdAt: 1n, lastActive: 2n } } },
  });
  const line = {
    ns: 'default',
    agent: 'demo',
    id: 's1',
    state: 'Processing',
    labels: { a: 'b' },
    createdAt: 1n,
    lastActive: 2n,
  };
  expect(lineOfItem(item, 'default', 'demo')).toEqual(line);
  expect(lineOfResource(resource)).toEqual(line);
  expect(lineOfResource(create(ResourceSchema, { kind: 'Agent' }))).toBeUndefined();
});

it('stands before those that were active earlier', () => {
  const line = lineOfItem(item, 'default', 'demo');
  const lines = [line, { ...line, id: 's2', lastActive: 9n }, { ...line, id: 's3' }];
  expect(byActivity(lines).map(({ id }) => id)).toEqual(['s2', 's3', 's1']);
});
