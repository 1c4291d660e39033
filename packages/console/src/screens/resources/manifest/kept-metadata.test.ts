import { create, toJson } from '@bufbuild/protobuf';
import { ResourceMetaSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { keptMetadata } from './kept-metadata.ts';

describe('keptMetadata', () => {
  it('keeps owners and finalizers, and leaves out what only the server writes', () => {
    const stored = create(ResourceMetaSchema, {
      name: 'key',
      namespace: 'shops',
      labels: { team: 'news' },
      annotations: { note: 'mine' },
      ownerReferences: [{ kind: 'Agent', name: 'helper', uid: '01a22339-7d9a-705d-9d62-654f0b061220' }],
      finalizers: ['shop/billing'],
      generation: 3n,
      resourceVersion: '41',
      uid: '01a22339-7d9a-705d-9d62-654f0b061221',
    });
    expect(toJson(ResourceMetaSchema, create(ResourceMetaSchema, keptMetadata(stored)))).toEqual({
      name: 'key',
      namespace: 'shops',
      labels: { team: 'news' },
      annotations: { note: 'mine' },
      ownerReferences: [{ kind: 'Agent', name: 'helper', uid: '01a22339-7d9a-705d-9d62-654f0b061220' }],
      finalizers: ['shop/billing'],
      resourceVersion: '41',
    });
  });
});
