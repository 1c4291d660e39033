import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

interface Seen {
  /** Version of the template in the status of the deployment. */
  readonly judged: number;
  readonly updated: number;
  readonly desired: number;
}

interface Caller {
  readonly isTemplateHidden: boolean;
  /** Names of namespaces that it sees; all by default. */
  readonly visible: readonly string[];
  readonly grants: readonly object[];
  /** Namespace of the deployment. */
  readonly place: string;
}

/** A deployment whose template is at version 30 and that selects two namespaces, in these states, the last one for ever. */
const rollout = (states: readonly Seen[], more: Partial<Caller> = {}) => {
  let reads = 0;
  const { place = 'acme', visible, grants = [] } = more;
  const deployment = () => {
    const { judged, updated, desired } = states[Math.min(reads, states.length - 1)] as Seen;
    reads += 1;
    const value = {
      observedGeneration: 1n,
      phase: 'Ready',
      conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }],
      templateVersions: [String(judged)],
      replicaCounts: { desired: BigInt(desired), updated: BigInt(updated), ready: BigInt(updated) },
    };
    return {
      ...{ apiVersion: 'svc/v1', kind: 'Deployment', metadata: { name: 'd', namespace: place, generation: 1n } },
      spec: { kind: { case: 'deployment' as const, value: { templates: ['helper'] } } },
      status: { kind: { case: 'deployment' as const, value } },
    };
  };
  const template = {
    ...{ apiVersion: 'svc/v1', kind: 'Template' },
    metadata: { name: 'helper', namespace: 'acme', generation: 4n, resourceVersion: '30' },
    status: { kind: { case: 'template' as const, value: { observedGeneration: 4n, phase: 'Ready' } } },
  };
  return fakeHost({
    files: { '/work/t.yaml': { text: 'kind: Template\nmetadata: {name: helper, namespace: acme}\n', mode: 0o600 } },
    handlers: {
      unary: {
        GetResource: ({ kind, ns }: { kind: string; ns: string }) => {
          if (kind === 'Deployment') return { resource: deployment() };
          if (kind === 'Template' && ns === 'acme' && more.isTemplateHidden !== true) return { resource: template };
          throw new FakeFault('NOT_FOUND', 'TEMPLATE_NOT_FOUND');
        },
        GetNamespace: () => ({ namespace: { metadata: { name: 'acme' } } }),
        ListResources: () => ({ resources: [deployment()] }),
        ListNamespaces: () => ({
          namespaces: [
            { metadata: { name: 'acme' } },
            { metadata: { name: 'acme:a' } },
            { metadata: { name: 'acme:b' } },
            { metadata: { name: 'acme:c' }, status: { isDeleted: true } },
            { metadata: { name: 'acme:a:deep' } },
            { metadata: { name: 'globex' } },
            { metadata: { name: 'system' } },
          ].filter(({ metadata: { name } }) => visible?.includes(name) ?? true),
        }),
        WhoAmI: () => ({ grants }),
        ApplyManifests: () => ({ results: [{ kind: 'Template', ns: 'acme', name: 'helper', outcome: 2 }] }),
      },
    },
  });
};
const whole: Seen = { judged: 30, updated: 2, desired: 2 };

describe('waiting for a deployment', () => {
  it.each([
    ['an older template', { ...whole, judged: 29 }, 'it has not rendered template helper as it is now'],
    ['another selection', { ...whole, desired: 1 }, 'it selects 2 namespaces and has counted 1 so far'],
    ['replicas of an older template', { ...whole, updated: 1 }, '1 of 2 namespaces have the current templates'],
  ])('goes on while its status speaks of %s', async (_what, seen, why) => {
    const shell = rollout([seen]);
    expect(await shell.run('apply', '-f', 't.yaml', '--wait', '2s')).toBe(exitCodes.timeout);
    expect(shell.err()).toContain(`Deployment acme/d: ${why}`);
    expect(await rollout([seen]).run('wait', 'deployment', 'd', '-n', 'acme', '--timeout', '2s')).toBe(
      exitCodes.timeout,
    );
    const later = rollout([seen, seen, whole]);
    expect(await later.run('wait', 'deployment', 'd', '-n', 'acme')).toBe(exitCodes.ok);
  });

  it('ends when the change of a template has reached every namespace', async () => {
    const shell = rollout([whole]);
    expect([await shell.run('apply', '-f', 't.yaml', '--wait'), shell.err()]).toEqual([
      exitCodes.ok,
      'everything is ready\n',
    ]);
  });

  it('does not wait for a template that the caller cannot read', async () => {
    const shell = rollout([{ ...whole, judged: 3 }], { isTemplateHidden: true });
    expect(await shell.run('wait', 'deployment', 'd', '-n', 'acme')).toBe(exitCodes.ok);
  });

  it.each<[what: string, caller: Partial<Caller>]>([
    ['some of the children', { visible: ['acme:a'] }],
    ['some of the roots', { place: 'system', visible: ['acme'], grants: [{ role: 'viewer', namespace: 'acme' }] }],
    ['nothing that is selected', { place: 'system', visible: ['system'] }],
  ])('does not count on a list of namespaces in which the caller sees %s', async (_what, caller) => {
    const shell = rollout([whole], caller);
    expect(await shell.run('wait', 'deployment', 'd', '-n', caller.place ?? 'acme', '--timeout', '2s')).toBe(
      exitCodes.ok,
    );
  });

  it.each<[what: string, caller: Partial<Caller>]>([
    ['children of a namespace that the caller sees', { visible: ['acme', 'acme:a'] }],
    ['roots, to a caller whose grants cover all', { place: 'system', visible: ['acme'], grants: [{ role: 'viewer' }] }],
  ])('goes on while its status counts more than there are: %s', async (_what, caller) => {
    const shell = rollout([whole], caller);
    expect(await shell.run('wait', 'deployment', 'd', '-n', caller.place ?? 'acme', '--timeout', '2s')).toBe(
      exitCodes.timeout,
    );
  });
});
