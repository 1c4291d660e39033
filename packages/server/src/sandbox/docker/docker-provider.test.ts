// @service bubblewrap
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../base/index.ts';
import { providerSuite } from '../conformance/provider-suite.ts';
import type { SandboxPlan, SandboxResult } from '../contract.ts';
import { canJail } from '../testing/local-jail.ts';
import { shown, testCommand, testPlan } from '../testing/plans.ts';
import { DockerProvider, type DockerProviderDeps } from './docker-provider.ts';
import { type EngineServer, startEngine } from './testing/engine-server.ts';

const IMAGE = 'node:lts';
const never = new AbortController().signal;

describe.skipIf(!(await canJail()))('containers of an engine', () => {
  let engine: EngineServer;
  let provider: DockerProvider;
  beforeAll(async () => {
    engine = await startEngine(IMAGE);
    provider = open();
  });
  afterAll(() => engine.close());

  const open = (change: Partial<DockerProviderDeps> = {}): DockerProvider =>
    new DockerProvider({
      clock: systemClock,
      log: silentLog,
      instance: 'one',
      holder: 'first',
      resolve: async () => ['127.0.0.1'],
      isAllowedAddress: (address) => address === '127.0.0.1',
      settings: { socket: engine.socket, image: IMAGE, mayPull: true },
      ...change,
    });
  const sh = (script: string, plan: SandboxPlan, change = {}): Promise<SandboxResult> =>
    provider.exec(plan, testCommand(['/bin/sh', '-c', script], change), never);
  /** What the engine answers to one kind of request, until the work is over. */
  const during = async <T>(pattern: RegExp, answer: (to: never) => void, work: () => Promise<T>): Promise<T> => {
    engine.faults.intercept = (request, to) => {
      if (!pattern.test(request)) return false;
      answer(to as never);
      return true;
    };
    try {
      return await work();
    } finally {
      delete engine.faults.intercept;
    }
  };

  providerSuite('docker', {
    provider: () => provider,
    echo: (text) => ['/bin/echo', text],
    fail: (code, text) => ['/bin/sh', '-c', `echo ${text} >&2; exit ${code}`],
    hang: ['/bin/sleep', '1000'],
    mirror: ['/bin/cat'],
    printVariable: (name) => ['/bin/sh', '-c', `echo "$${name}"`],
  });

  it('are asked for without rights, network, a writable root or a log, and within limits', async () => {
    const plan = testPlan('asked', {
      writable: ['/data'],
      readonly: ['/workspace/fixed'],
      network: { mode: 'public' },
    });
    await provider.create(plan);
    await sh('true', plan);
    expect(engine.asked.at(-1)).toMatchObject({
      Image: IMAGE,
      User: '1000:1000',
      Tty: false,
      HostConfig: {
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true'],
        Privileged: false,
        ReadonlyRootfs: true,
        Init: true,
        LogConfig: { Type: 'none' },
        NanoCpus: 1_000_000_000,
        Memory: 1_073_741_824,
        MemorySwap: 1_073_741_824,
        PidsLimit: 64,
        Ulimits: expect.arrayContaining([{ Name: 'fsize', Soft: 16_777_216, Hard: 16_777_216 }]),
      },
    });
    const sources = engine.asked.flatMap(({ HostConfig }) => (HostConfig as { Mounts: { Source: string }[] }).Mounts);
    expect(sources.filter(({ Source }) => Source.includes('docker.sock'))).toEqual([]);
    // Only the container that opens the volumes is root, and it runs nothing but that.
    for (const body of engine.asked) {
      const start = (body['Cmd'] as readonly string[]).slice(0, 3);
      if (body['User'] !== '1000:1000') expect(start).toEqual(['-c', 'exec chmod 0777 "$@"', 'sh']);
    }
    await provider.destroy('asked');
  });

  it('write only where they may', async () => {
    const plan = testPlan('places', { writable: ['/data'], readonly: ['/workspace/fixed'] });
    await provider.create(plan);
    const places = ['/x', '/usr/x', '/run/x', '/workspace/fixed/x'];
    const refused = shown(await sh(places.map((path) => `echo 1 > ${path}`).join('; '), plan));
    expect(refused.err.match(/Read-only file system/g)?.length).toBe(places.length);
    const kept = await sh('for d in /workspace /data /tmp; do echo 1 > $d/x || exit 1; done', plan);
    expect([kept.exitCode, shown(kept).err]).toEqual([0, '']);
    expect(shown(await sh('cat /workspace/x /data/x /tmp/x', plan)).out).toBe('1\n1\n1\n');
    expect((await sh('echo 1 > /workspace/fixed/x', plan, { setup: { network: { mode: 'none' } } })).exitCode).toBe(0);
    await provider.destroy('places');
  });

  it('are refused where they are not as closed as they have to be', async () => {
    const create = engine.containers.create.bind(engine.containers);
    engine.containers.create = (body) =>
      create({ ...body, HostConfig: { ...body.HostConfig, ReadonlyRootfs: false, CapDrop: [] } });
    await expect(provider.create(testPlan('loose'))).rejects.toMatchObject({
      reason: 'SANDBOX_PROVIDER',
      message: expect.stringMatching(/capabilities are left in CapPrm:.*its root can be written/),
    });
    engine.containers.create = create;
    expect(await provider.exists('loose')).toBe(false);
    await provider.destroy('loose');
    expect((await provider.list()).backends).toEqual([]);
  });

  it('leave no process when a command ends or its backend is destroyed', async () => {
    const plan = testPlan('tree');
    await provider.create(plan);
    const mark = `${Date.now() % 100_000}.5`;
    const isRunning = (): boolean =>
      readdirSync('/proc').some((id) => {
        if (!/^\d+$/.test(id) || !existsSync(`/proc/${id}/cmdline`)) return false;
        try {
          return readFileSync(`/proc/${id}/cmdline`, 'utf8').startsWith(`sleep\0${mark}\0`);
        } catch {
          return false;
        }
      });
    await sh(`setsid sleep ${mark} & echo done`, plan);
    await expect.poll(isRunning).toBe(false);
    const running = sh(`setsid sleep ${mark}`, plan);
    await expect.poll(isRunning).toBe(true);
    await provider.destroy('tree');
    expect((await running).endedBy).toBe('stopped');
    expect(isRunning()).toBe(false);
    expect(engine.containers.list(() => true)).toEqual([]);
  });

  it('of a process that died end when another one takes over, or when their time is over', async () => {
    const plan = testPlan('left');
    await provider.create(plan);
    const lost = sh('sleep 1000', plan).catch((error: unknown) => error);
    await expect.poll(() => engine.containers.list(() => true)).toMatchObject([{ State: 'running' }]);
    const second = open({ holder: 'second' });
    expect(await second.exists('left')).toBe(true);
    expect(engine.containers.list(() => true)).toEqual([]);
    await lost;
    const again = sh('sleep 1000', plan).catch((error: unknown) => error);
    await expect.poll(() => engine.containers.list(() => true)).toMatchObject([{ State: 'running' }]);
    await provider.list();
    expect(engine.containers.list(() => true)).toHaveLength(1);
    await open({ clock: { ...systemClock, nowMicros: () => systemClock.nowMicros() + 3_600_000_000 } }).list();
    expect(engine.containers.list(() => true)).toEqual([]);
    await again;
    await provider.destroy('left');
  });

  it('are apart from those of another instance on the same engine', async () => {
    const other = open({ instance: 'two' });
    const plan = testPlan('mine', { volume: 'v' });
    await provider.create(plan);
    expect(await other.list()).toEqual({ backends: [], volumes: [] });
    expect(await other.exists('mine')).toBe(false);
    await other.destroy('mine');
    await other.destroyVolume('v');
    expect(await provider.list()).toEqual({ backends: ['mine'], volumes: ['v'] });
    await provider.destroy('mine');
    await provider.destroyVolume('v');
  });

  it('reach allowed hosts through the proxy and nothing else', async () => {
    const server = createServer((_request, answer) => answer.end('inside'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const { port } = server.address() as AddressInfo;
    const plan = testPlan('network');
    await provider.create(plan);
    const ask = async (host: string, network: SandboxPlan['network']): Promise<string> => {
      const script = `import urllib.request as r, sys
try: print(r.urlopen('http://${host}:${port}/', timeout=20).read().decode())
except r.HTTPError as e: print(e.read().decode().strip())
except OSError: print('unreachable')`;
      return shown(await sh(`exec python3 -c "$PROGRAM"`, { ...plan, network, env: { PROGRAM: script } })).out.trim();
    };
    expect(await ask('127.0.0.1', { mode: 'none' })).toBe('unreachable');
    const allowed = { mode: 'hosts', hosts: [`allowed.test:${port}`] } as const;
    expect(await ask('allowed.test', allowed)).toBe('inside');
    expect(await ask('other.test', allowed)).toBe(`this sandbox may not reach other.test:${port}`);
    expect(await ask('127.0.0.1', allowed)).toBe('unreachable');
    expect(await ask('any.test', { mode: 'public' })).toBe('inside');
    const code = await sh('exit 9', { ...plan, network: allowed });
    expect(code.exitCode).toBe(9);
    await provider.destroy('network');
    server.close();
  });

  it('take input, run in the folder that was named, and are refused what no process can be given', async () => {
    const plan = testPlan('input');
    await provider.create(plan);
    const echoed = await sh('cat; pwd', plan, {
      stdin: Buffer.from('x'.repeat(200_000)),
      outputBytes: 300_000,
      cwd: '/tmp',
    });
    expect(shown(echoed).out).toBe(`${'x'.repeat(200_000)}/tmp\n`);
    expect((await sh('true', plan, { cwd: '/none' })).exitCode).toBe(125);
    expect((await provider.exec(plan, testCommand(['/bin/none']), never)).exitCode).toBe(127);
    for (const command of [testCommand(['/bin/echo', 'a\0b']), testCommand(['/bin/true'], { env: { 'A=B': '' } })])
      await expect(provider.exec(plan, command, never)).rejects.toMatchObject({ reason: 'SANDBOX_COMMAND' });
    await provider.destroy('input');
  });

  it('are told apart by what an engine refuses: each failure says what the engine said', async () => {
    const plan = testPlan('refused');
    await provider.create(plan);
    const refuse = (answer: { writeHead(status: number): { end(text: string): void } }): void =>
      answer.writeHead(500).end('{"message":"no space left on device"}');
    for (const step of [/containers\/create/, /\/start$/, /\/wait$/])
      await expect(during(step, refuse, () => sh('true', plan))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        reason: 'SANDBOX_PROVIDER',
        message: expect.stringContaining('no space left on device'),
      });
    expect(engine.containers.list(() => true)).toEqual([]);
    await provider.destroy('refused');
  });

  it('whose output breaks off fail instead of answering a part', async () => {
    const plan = testPlan('broken');
    await provider.create(plan);
    const upgraded = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';
    const parts = ['\x01\0\0\0\0\0\0\x09half', 'no frames at all'];
    for (const part of parts)
      await expect(
        during(
          /\/attach$/,
          (stream: Duplex) => stream.end(Buffer.from(upgraded + part, 'latin1')),
          () => sh('true', plan),
        ),
      ).rejects.toMatchObject({ reason: 'SANDBOX_PROVIDER', message: 'the output of a container broke off' });
    expect(engine.containers.list(() => true)).toEqual([]);
    await provider.destroy('broken');
  });

  it('need their image: it is pulled, or the report says how to get it', async () => {
    const report = (settings: Partial<DockerProviderDeps['settings']>) =>
      open({ settings: { socket: engine.socket, image: IMAGE, mayPull: true, ...settings } }).probe();
    expect(await report({})).toEqual({
      isAvailable: true,
      message: 'Docker 27.5.1; limits of each command by cgroup v2 of the engine; the disk is counted',
    });
    engine.faults.pullable.add('python:3.13');
    expect(await report({ image: 'python:3.13' })).toMatchObject({ isAvailable: true });
    for (const [image, said] of [
      ['private/x:1', 'pull access denied'],
      ['busy:1', 'rate limit exceeded'],
    ] as const)
      expect(await report({ image })).toMatchObject({ isAvailable: false, message: expect.stringContaining(said) });
    expect((await report({ image: 'none:1', mayPull: false })).message).toContain('docker pull none:1');
    expect((await report({ socket: `${engine.socket}.none` })).message).toContain('install Docker');
    engine.faults.info = { ...engine.faults.info, OSType: 'windows' };
    expect((await report({})).message).toContain('sandboxes need those of linux');
    await expect(provider.create(testPlan('path', { image: '../containers/x' }))).rejects.toMatchObject({
      reason: 'SANDBOX_IMAGE',
    });
  });

  it('are ended when their volumes hold more than they may', async () => {
    const plan = testPlan('full');
    let fire = (): void => undefined;
    const impatient = open({
      clock: {
        nowMicros: systemClock.nowMicros,
        after: (delayMs, ring) => {
          if (delayMs !== 10_000) return systemClock.after(delayMs, ring);
          fire = ring;
          return () => undefined;
        },
      },
    });
    await impatient.create(plan);
    const command = testCommand([
      '/bin/sh',
      '-c',
      'for i in 1 2; do head -c 9000000 /dev/zero > f$i; done; echo > done; sleep 1000',
    ]);
    const filling = impatient.exec(plan, command, never);
    await expect
      .poll(async () => (await provider.listFiles(plan, '/workspace', { signal: never })).map(({ name }) => name))
      .toContain('done');
    fire();
    expect((await filling).endedBy).toBe('disk');
    const mended = await impatient.exec(plan, testCommand(['/bin/sh', '-c', 'rm f1 f2']), never);
    expect(mended.exitCode).toBe(0);
    await provider.destroy('full');
  });
});
