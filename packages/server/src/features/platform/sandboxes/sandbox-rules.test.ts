import { create } from '@bufbuild/protobuf';
import { SandboxClassSpecSchema, SandboxPolicySpecSchema, SandboxSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { mountPathProblem } from './mount-path-rules.ts';
import { checkSandbox, checkSandboxClass, checkSandboxPolicy, unknownModes } from './sandbox-rules.ts';

const scope = { visible: ['a:b', 'a', 'system'] };
const shown = (faults: readonly { readonly field: string; readonly reason: string }[]): string[] =>
  faults.map((fault) => `${fault.field} ${fault.reason}`);

describe('a mount path', () => {
  it.each(['', '/workspace', '/home/me', '/tmp/x', '/opt/app', '/etcetera', '/data/etc', '/mnt/a b'])(
    '%j may be used',
    (path) => {
      expect(mountPathProblem(path)).toBe('');
    },
  );

  it.each([
    '/',
    '/etc',
    '/etc/x',
    '/usr/../etc',
    '/proc/',
    'relative',
    '/home',
    '/tmp',
    '/opt',
    '/mnt',
    '/media',
    '/srv',
    '/var/lib',
    '/run/x',
    '/root/x',
    '/lib64/x',
    '//etc',
    '/work//x',
    '/work/./x',
    '/work/\u0000',
    '/work\\x',
    '/x'.repeat(600),
  ])('%j is refused', (path) => {
    expect(mountPathProblem(path)).not.toBe('');
  });
});

describe('sandbox resources', () => {
  it('name every fault of a class', () => {
    const spec = create(SandboxClassSpecSchema, { provider: 'vm', providerConfigJson: '[]', credentialsJson: '{' });
    expect(shown(checkSandboxClass('team', spec, () => []))).toEqual([
      'spec.provider FIELD_INVALID',
      'spec.providerConfigJson FIELD_INVALID',
      'spec.credentialsJson FIELD_INVALID',
    ]);
    expect(
      checkSandboxClass('team', create(SandboxClassSpecSchema, { provider: 'local', credentialsJson: '{}' }), () => []),
    ).toEqual([]);
    const docker = create(SandboxClassSpecSchema, { provider: 'docker', providerConfigJson: '{"image":7}' });
    const problems = checkSandboxClass('team', docker, ({ config, namespace }) => [
      { field: 'providerConfigJson.image', problem: `not ${config['image']} in ${namespace}` },
    ]);
    expect(problems).toMatchObject([{ field: 'spec.providerConfigJson.image', description: 'not 7 in team' }]);
  });

  it('name every fault of a policy', () => {
    const spec = create(SandboxPolicySpecSchema, {
      classRef: { namespace: 'c' },
      template: {
        workspace: { mountPath: '/etc' },
        filesystem: { writable: ['/a', 'b'], readonly: ['/a/../b'] },
        setup: { packages: [' '], commands: [''] },
      },
    });
    expect(shown(checkSandboxPolicy(spec, scope))).toEqual([
      'spec.classRef.name FIELD_INVALID',
      'spec.classRef.namespace FIELD_INVALID',
      'spec.template.workspace.mountPath MOUNT_PATH',
      'spec.template.filesystem.writable[1] FIELD_INVALID',
      'spec.template.filesystem.readonly[0] FIELD_INVALID',
      'spec.template.setup.packages[0] FIELD_INVALID',
      'spec.template.setup.commands[0] FIELD_INVALID',
    ]);
    const good = {
      classRef: { name: 'x', namespace: 'system' },
      template: { filesystem: { writable: ['/'] }, setup: { packages: ['git'] } },
    };
    expect(checkSandboxPolicy(create(SandboxPolicySpecSchema, good), scope)).toEqual([]);
    expect(shown(checkSandboxPolicy(create(SandboxPolicySpecSchema), scope))).toEqual([
      'spec.classRef.name FIELD_INVALID',
    ]);
  });

  it('name every fault of a sandbox', () => {
    const bad = create(SandboxSpecSchema, { classRef: {}, runtimeTemplate: { workspace: { mountPath: '/sys' } } });
    expect(shown(checkSandbox(bad, scope))).toEqual([
      'spec.policyRef FIELD_INVALID',
      'spec.classRef.name FIELD_INVALID',
      'spec.runtimeTemplate.workspace.mountPath MOUNT_PATH',
    ]);
    expect(checkSandbox(create(SandboxSpecSchema, { policyRef: 'x' }), scope)).toEqual([]);
    expect(shown(checkSandbox(create(SandboxSpecSchema), scope))).toEqual(['spec.policyRef FIELD_INVALID']);
  });

  it('tell which modes act as the first of their list', () => {
    const template = create(SandboxPolicySpecSchema, {
      template: { leasePolicy: { mode: 'exclusive' }, workspace: { mode: 'x' }, network: { mode: 'y' } },
    }).template;
    expect(unknownModes(template)).toEqual([
      'workspace.mode "x" acts as ephemeral',
      'network.mode "y" acts as restricted',
    ]);
    expect(unknownModes(undefined)).toEqual([]);
  });
});
