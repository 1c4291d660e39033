import { describe, expect, it } from 'vitest';
import { testPlan } from '../testing/plans.ts';
import { backendVolumes, type ContainerRun, containerBody, markerName, volumeName } from './container-rules.ts';

const run: ContainerRun = { image: 'i', argv: ['a'], cwd: '', env: {}, isSetup: false, network: 'none', labels: {} };

describe('the container of a command', () => {
  it('has the network of the machine only where it is to have it, and a socket only with the proxy', () => {
    const plan = testPlan('p');
    const body = (network: ContainerRun['network']) =>
      containerBody(plan, backendVolumes('one', plan), { ...run, network }).HostConfig;
    expect(body('none').NetworkMode).toBe('none');
    expect(body('host').NetworkMode).toBe('host');
    const proxied = body({ socketPath: '/tmp/s' });
    expect(proxied.NetworkMode).toBe('none');
    const binds = proxied.Mounts.filter(({ Type }) => Type === 'bind');
    expect(binds).toEqual([{ Type: 'bind', Source: '/tmp/s', Target: '/run/svc/egress', ReadOnly: true }]);
  });

  it('may write what is read-only during the setup', () => {
    const plan = testPlan('p', { readonly: ['/workspace/fixed'] });
    const isFixed = (isSetup: boolean) =>
      containerBody(plan, backendVolumes('one', plan), { ...run, isSetup }).HostConfig.Mounts.at(-1);
    expect(isFixed(false)).toMatchObject({ Target: '/workspace/fixed', ReadOnly: true });
    expect(isFixed(true)).toMatchObject({ ReadOnly: false });
  });

  it('names no volume after anything but an id', () => {
    for (const name of ['', '../x', 'a/b', 'a.b', '-a']) {
      expect(() => markerName('one', name)).toThrow('not the name');
      expect(() => volumeName('one', name)).toThrow('not the name');
    }
    expect(backendVolumes('one', testPlan('p', { volume: 'v' }))[0]?.name).toBe('svc-one.volume.v');
  });
});
