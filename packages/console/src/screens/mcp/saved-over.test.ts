import { create } from '@bufbuild/protobuf';
import { type Resource, ResourceSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { savedOver } from './saved-over.ts';

const server = (uid: string, generation: bigint, resourceVersion: string): Resource =>
  create(ResourceSchema, { kind: 'McpServer', metadata: { uid, generation, resourceVersion } });

const versionOver = (newest: Resource): string | undefined =>
  savedOver(server('u', 2n, '10'), newest).metadata?.resourceVersion;

describe('savedOver', () => {
  it('is the newest version where only the state was written since', () => {
    expect(versionOver(server('u', 2n, '14'))).toBe('14');
  });

  it('is the version of the draft where somebody changed or replaced the resource', () => {
    expect(versionOver(server('u', 3n, '14'))).toBe('10');
    expect(versionOver(server('v', 2n, '14'))).toBe('10');
  });
});
