import { create } from '@bufbuild/protobuf';
import { SandboxRuntimeTemplateSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { checkClassConfig, classConfig, leaseMode, sandboxPlan } from './sandbox-plan-rules.ts';

const GIB = 1_073_741_824;
const template = (spec: Parameters<typeof create<typeof SandboxRuntimeTemplateSpecSchema>>[1]) =>
  create(SandboxRuntimeTemplateSpecSchema, spec);
const ids = { id: 'u', volume: 'v' };

describe('the configuration of a sandbox class', () => {
  it('has defaults, and takes numbers and sizes', () => {
    expect(classConfig({})).toEqual({
      limits: { cpu: 2, memoryBytes: 2 * GIB, pids: 256, diskBytes: 5 * GIB, outputBytes: 1_048_576 },
      setupTimeoutMs: 300_000,
      allowedHosts: [],
      allowHostNetwork: false,
    });
    const given = {
      cpu: 0.5,
      memory: '1.5GiB',
      disk: 1_048_576,
      output: '2048',
      allowedHosts: ['a.b'],
      allowHostNetwork: true,
    };
    expect(classConfig(given)).toMatchObject({
      limits: { cpu: 0.5, memoryBytes: 1.5 * GIB, diskBytes: 1_048_576, outputBytes: 2_048 },
      allowedHosts: ['a.b'],
      allowHostNetwork: true,
    });
    expect(checkClassConfig(given, 'x')).toEqual([]);
  });

  it('names each field that is wrong, and falls back to the default where one was stored', () => {
    const wrong = {
      cpu: 0,
      memory: '1TB',
      pids: '5',
      disk: -1,
      output: true,
      setupTimeoutSeconds: 99_999,
      allowedHosts: ['http://x'],
      allowHostNetwork: 1,
    };
    expect(checkClassConfig(wrong, 'c').map(({ field }) => field)).toEqual(
      Object.keys(wrong).map((name) => `c.${name}`),
    );
    expect(checkClassConfig({ allowedHosts: 'x' }, 'c')).toHaveLength(1);
    expect(classConfig({ ...wrong, allowedHosts: 'x' }).limits).toEqual(classConfig({}).limits);
  });
});

describe('a sandbox', () => {
  it('is what its template says', () => {
    const plan = sandboxPlan(
      ids,
      template({
        image: 'img',
        workspace: { mode: 'persistent', mountPath: '/work' },
        filesystem: { writable: ['/data'], readonly: ['/work/x'] },
        network: { mode: 'none' },
      }),
      classConfig({}),
    );
    expect(plan).toMatchObject({ id: 'u', volume: 'v', image: 'img', mountPath: '/work', network: { mode: 'none' } });
    expect([plan.writable, plan.readonly]).toEqual([['/data'], ['/work/x']]);
    expect(sandboxPlan(ids, undefined, classConfig({ allowedHosts: ['a'] }))).toMatchObject({
      volume: '',
      image: '',
      mountPath: '/workspace',
      network: { mode: 'hosts', hosts: ['a'] },
    });
  });

  it('reaches the network of the machine only where the class allows it', () => {
    const network = (mode: string, config = {}) =>
      sandboxPlan(ids, template({ network: { mode } }), classConfig(config)).network;
    expect(network('open')).toEqual({ mode: 'public' });
    expect(network('host', { allowHostNetwork: true })).toEqual({ mode: 'host' });
    expect(network('host')).toEqual({ mode: 'hosts', hosts: [] });
    expect(network('other')).toEqual({ mode: 'hosts', hosts: [] });
  });

  it('is leased for a session, a turn, or from a pool', () => {
    const mode = (text: string) => leaseMode(template({ leasePolicy: { mode: text } }));
    expect(['', 'exclusive', 'x', 'session', 'turn', 'pool'].map(mode)).toEqual([
      ...Array(4).fill('session'),
      'turn',
      'pool',
    ]);
    expect(leaseMode(undefined)).toBe('session');
  });
});
