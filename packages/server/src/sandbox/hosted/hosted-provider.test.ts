// @service bubblewrap
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../base/index.ts';
import { providerSuite } from '../conformance/provider-suite.ts';
import type { ProviderConfig, SandboxPlan, SandboxProvider, SandboxResult } from '../contract.ts';
import { canJail } from '../testing/local-jail.ts';
import { shown, testCommand, testPlan } from '../testing/plans.ts';
import { HostedKind } from './hosted-kind.ts';
import { startDaytona } from './testing/daytona-server.ts';
import { startE2b } from './testing/e2b-server.ts';

const isPossible = await canJail();
const [e2b, daytona] = [await startE2b(), await startDaytona()];
afterAll(async () => {
  await e2b.close();
  await daytona.close();
});

const SERVICES = {
  e2b: { server: e2b, url: e2b.url, kind: HostedKind.e2b, sleep: e2b.pauseAll },
  daytona: { server: daytona, url: `${daytona.url}/api`, kind: HostedKind.daytona, sleep: daytona.stopAll },
} as const;
type Name = keyof typeof SERVICES;
interface Opened {
  readonly holder?: string;
  readonly config?: ProviderConfig;
  readonly credentials?: ProviderConfig;
  readonly secret?: string;
}

const never = new AbortController().signal;
const hasNamespaces = (): boolean =>
  spawnSync('unshare', ['-U', '-c', '-p', '-f', '--kill-child', 'true']).status === 0;
const open = (name: Name, instance: string, how: Opened = {}): SandboxProvider => {
  const { server, url, kind } = SERVICES[name];
  const { holder = 'first', config = {}, credentials = { apiKey: 'env:KEY' } } = how;
  const ids = { next: () => randomUUID() };
  const deps = { clock: systemClock, log: silentLog, ids, holder, instance: { get: () => instance } };
  const secret = async (namespace: string, reference: string) =>
    namespace === 'team' && reference === 'secret://hosted/key' ? (how.secret ?? server.key) : '';
  const offered = { urls: [url, 'http://127.0.0.1:1'], env: ['KEY'] };
  const made = kind({ ...deps, environment: { KEY: server.key }, secret, offered });
  return made.open(config, { namespace: 'team', credentials });
};
const sh =
  (provider: SandboxProvider, plan: SandboxPlan) =>
  (script: string, change = {}): Promise<SandboxResult> =>
    provider.exec(plan, testCommand(['/bin/sh', '-c', script], change), never);

it.skipIf(!isPossible)('a sandbox of Daytona that failed is not used, and gives its name to the next one', async () => {
  const provider = open('daytona', 'failed-daytona');
  const plan = testPlan('failed');
  await provider.create(plan);
  const failed = [...daytona.machines.values()].find(({ created }) => String(created['name']).endsWith('-failed'));
  if (failed === undefined) throw new Error('there is no sandbox');
  failed.state = 'error';
  expect(await provider.exists('failed')).toBe(false);
  expect((await provider.list()).backends).toEqual(['failed']);
  await provider.destroy('failed');
  expect((await provider.list()).backends).toEqual([]);
  expect(await provider.create(plan)).toBe('created');
  await provider.destroy('failed');
});

describe.skipIf(!isPossible).each(['e2b', 'daytona'] as const)('at the service %s', (name) => {
  const { server, sleep } = SERVICES[name];
  const provider = open(name, `suite-${name}`);
  const machines = () => [...server.machines.values()];

  providerSuite(name, {
    provider: () => provider,
    echo: (text) => ['/bin/echo', text],
    fail: (code, text) => ['/bin/sh', '-c', `echo ${text} >&2; exit ${code}`],
    hang: ['/bin/sleep', '1000'],
    mirror: ['/bin/cat'],
    printVariable: (variable) => ['/bin/sh', '-c', `echo "$${variable}"`],
  });

  it('bytes pass as they are, and no process outlives its command', async () => {
    const plan = testPlan('bytes');
    await provider.create(plan);
    const stdin = Uint8Array.from({ length: 3_000 }, (_value, index) => index % 256);
    const mirrored = await provider.exec(plan, testCommand(['/bin/cat'], { stdin }), never);
    expect(Buffer.compare(mirrored.stdout, stdin)).toBe(0);
    // Without namespaces a process that takes the mark off stays.
    const hidden = hasNamespaces() ? 'env -i ' : '';
    const left = await sh(provider, plan)(`(setsid ${hidden}sleep 1000 &) ; sleep 1000 & cat nothing; echo left`);
    expect([left.exitCode, shown(left).out]).toEqual([0, 'left\n']);
    expect(shown(left).err).toContain('nothing');
    // The setup has no namespaces.
    await sh(provider, plan)('(setsid sleep 1000 &) ; sleep 1000 & echo left', { setup: plan });
    expect(machines().flatMap(({ machine }) => machine.processes())).toEqual([]);
    const inside = await sh(provider, plan)('pwd; cd / && echo "$HOME"', { cwd: '/tmp' });
    expect(shown(inside).out).toBe('/tmp\n/workspace\n');
    await provider.destroy('bytes');
  });

  it('a sandbox that a dead process left is found: taken over without its commands, or removed as one without a record', async () => {
    const plan = testPlan('left');
    const dead = open(name, `crash-${name}`, { holder: 'dead' });
    await dead.create(plan);
    await dead.create(testPlan('unrecorded'));
    const process = await dead.start(plan, testCommand(['/bin/cat']), never);
    await sh(dead, plan)('echo kept > file');
    const next = open(name, `crash-${name}`, { holder: 'next' });
    expect(await next.exists('left')).toBe(true);
    // Ended from outside: the command of the dead process is over, the file is there.
    expect(await process.ended).toMatchObject({ exitCode: 137 });
    expect(shown(await sh(next, plan)('cat file')).out).toBe('kept\n');
    expect([...(await next.list()).backends].sort()).toEqual(['left', 'unrecorded']);
    expect((await open(name, 'another instance').list()).backends).toEqual([]);
    for (const id of ['left', 'unrecorded']) await next.destroy(id);
    expect((await next.list()).backends).toEqual([]);
    expect(await next.exists('left')).toBe(false);
  });

  it('a sandbox that the service put to sleep wakes with its files at the next use', async () => {
    const plan = testPlan('sleeps');
    await provider.create(plan);
    await sh(provider, plan)('echo kept > file');
    sleep();
    expect(shown(await sh(provider, plan)('cat file')).out).toBe('kept\n');
    await provider.destroy('sleeps');
  });

  it('setup reaches the sources of packages, later commands what the plan says', async () => {
    const hosts = ['api.example.com'];
    const plan = testPlan('reaches', { network: { mode: 'hosts', hosts } });
    await provider.create(plan);
    const seen: unknown[] = [machines()[0]?.network];
    const changes = () => server.requests.filter((line) => /network/.test(line)).length;
    const before = changes();
    await sh(provider, plan)('true', { setup: { network: { mode: 'hosts', hosts: ['pypi.org', ...hosts] } } });
    expect(changes() - before).toBe(2);
    seen.push(machines()[0]?.network);
    const limited =
      name === 'e2b'
        ? { allowOut: hosts, denyOut: ['0.0.0.0/0'] }
        : { networkBlockAll: false, domainAllowList: 'api.example.com' };
    expect(seen).toEqual([expect.objectContaining(limited), limited]);
    await provider.destroy('reaches');
  });

  it('what cannot be kept is refused before a sandbox is made, or removes it again', async () => {
    const fails = async (plan: SandboxPlan, text: string) =>
      expect(provider.create(plan)).rejects.toMatchObject({
        reason: 'SANDBOX_FAILED',
        message: expect.stringContaining(text),
      });
    await fails(testPlan('fixed', { readonly: ['/data'] }), 'filesystem.readonly');
    await fails(testPlan('host', { network: { mode: 'host' } }), 'network mode host');
    await fails(testPlan('nowhere', { mountPath: '/usr/nowhere' }), 'cannot write /usr/nowhere');
    expect(machines()).toEqual([]);
  });

  it('says what is missing: a key, one that is accepted, a service', async () => {
    const report = (how: Opened) => open(name, 'probe', how).probe();
    expect(await report({})).toEqual({
      isAvailable: true,
      message: expect.stringContaining('processes are not limited'),
    });
    expect(await report({ credentials: { apiKey: 'secret://hosted/key' } })).toMatchObject({ isAvailable: true });
    for (const [how, text] of [
      [{ credentials: {} }, 'the sandbox class has no credentials.apiKey'],
      [{ credentials: { apiKey: 'env:OTHER' } }, 'the server has no variable OTHER'],
      [{ credentials: { apiKey: 'secret://hosted/key' }, secret: 'wrong' }, 'refused the credentials'],
      [{ config: { url: 'http://127.0.0.1:1' } }, 'could not list'],
    ] as const)
      expect(await report(how)).toEqual({ isAvailable: false, message: expect.stringContaining(text) });
  });
});
