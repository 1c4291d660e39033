// @service bubblewrap
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { providerSuite } from '../conformance/provider-suite.ts';
import type { SandboxPlan, SandboxResult } from '../contract.ts';
import { canJail, localProvider } from '../testing/local-jail.ts';
import { shown, testCommand, testPlan } from '../testing/plans.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-jail-'));
const provider = localProvider(root);
afterAll(() => rmSync(root, { recursive: true }));
const never = new AbortController().signal;
const sh = (script: string, plan: SandboxPlan, change = {}): Promise<SandboxResult> =>
  provider.exec(plan, testCommand(['/bin/sh', '-c', script], change), never);

describe.skipIf(!(await canJail()))('a jail of processes', () => {
  providerSuite('local', {
    provider: () => provider,
    echo: (text) => ['/bin/echo', text],
    fail: (code, text) => ['/bin/sh', '-c', `echo ${text} >&2; exit ${code}`],
    hang: ['/bin/sleep', '1000'],
    mirror: ['/bin/cat'],
    printVariable: (name) => ['/bin/sh', '-c', `echo "$${name}"`],
  });

  const plan = testPlan('jail', { writable: ['/data'], readonly: ['/workspace/fixed'] });
  beforeAll(() => provider.create(plan));
  afterAll(() => provider.destroy(plan.id));

  it('sees no file, variable or process of the machine', async () => {
    const secret = join(root, 'etc');
    process.env['SVC_JAIL_SECRET'] = 'visible';
    const script = `env; ls -d "${secret}" /root /home /var /opt /sys /etc/shadow "${process.cwd()}"; ls -d /proc/[0-9]* | wc -l; cat /proc/1/environ`;
    const { out, err } = shown(await sh(script, plan));
    delete process.env['SVC_JAIL_SECRET'];
    expect(out).not.toMatch(/SVC_JAIL_SECRET|svc-jail-|\/root|\/var|\/home|\/opt|\/sys$|shadow/m);
    expect(err.match(/No such file/g)).toHaveLength(8);
    expect(Number(/^(\d+)$/m.exec(out)?.[1])).toBeLessThan(9);
  });

  it('writes only where it may, and no setting of the kernel', async () => {
    const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    // Writes back what is there: harmless where it is not refused.
    const setting = `cat /proc/sys/kernel/core_pattern > /tmp/p; cat /tmp/p > /proc/sys/kernel/core_pattern`;
    const places = ['/x', '/usr/x', '/etc/x', '/dev/x', '/run/x', '/workspace/fixed/x'];
    const refused = shown(await sh(`${places.map((path) => `echo 1 > ${path}`).join('; ')}; ${setting}`, plan));
    expect(refused.err.match(/Read-only file system/g)).toHaveLength(places.length + 1);
    expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(pattern);
    const allowed = await sh('for d in /workspace /data /tmp /dev/shm; do echo 1 > $d/x || exit 1; done', plan);
    expect([allowed.exitCode, shown(allowed).err]).toEqual([0, '']);
    expect((await sh('echo 1 > /workspace/fixed/x', plan, { setup: { network: { mode: 'none' } } })).exitCode).toBe(0);
  });

  it('runs nothing whose texts would become options of the jail, or that no process can be given', async () => {
    const option = testCommand(['/bin/ls', '/tmp/sandbox'], {
      cwd: `/workspace\0--bind\0${import.meta.dirname}/..\0/tmp`,
    });
    for (const command of [
      option,
      testCommand(['/bin/echo', 'a\0b']),
      testCommand(['/bin/true'], { env: { A: 'b\0--share-net' } }),
      testCommand(['/bin/true'], { env: { 'A=B': '' } }),
      testCommand(['/bin/true'], { env: { '': 'a' } }),
      testCommand(['/bin/echo', 'x'.repeat(131_072)]),
    ])
      await expect(provider.exec(plan, command, never)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        reason: 'SANDBOX_COMMAND',
      });
    const longest = await provider.exec(plan, testCommand(['/bin/true', 'x'.repeat(131_071)]), never);
    expect(longest.exitCode).toBe(0);
  });

  it('makes nothing on the machine through links that its processes put above a path of its own', async () => {
    const outside = join(root, 'outside');
    mkdirSync(outside);
    const nested = testPlan('nested', { mountPath: '/tmp/deep/work', readonly: ['/tmp/deep/work/a/fixed'] });
    await provider.create(nested);
    const folders = ['/tmp/deep', '/tmp/deep/work/a', '/tmp/deep/work/a/fixed'];
    const script = folders.map((path) => `mv ${path} ${path}-moved && ln -s "/oldroot${outside}" ${path}`).join('; ');
    const moved = shown(await sh(script, nested));
    expect(moved.err.match(/busy/g)).toHaveLength(folders.length);
    expect((await sh('ls -d /tmp/deep/work/a/fixed && echo x > /tmp/deep/work/a/x', nested)).exitCode).toBe(0);
    expect(readdirSync(outside)).toEqual([]);
    await provider.destroy('nested');
  });

  it('has the paths that its policy gained after it was made', async () => {
    const before = testPlan('edited');
    await provider.create(before);
    const after = { ...before, writable: ['/later'], readonly: ['/workspace/late'] };
    expect((await sh('echo x > /later/x && ls -d /workspace/late', after)).exitCode).toBe(0);
    expect((await sh('echo x > /workspace/late/x', after)).exitCode).not.toBe(0);
    await provider.destroy('edited');
    await expect(sh('true', after)).rejects.toMatchObject({ reason: 'SANDBOX_LOST' });
  });

  it('gets no rights back, nor namespaces of its own', async () => {
    const { out } = shown(
      await sh('grep -E "^(NoNewPrivs|CapEff|CapBnd)" /proc/self/status; unshare -Ur id || echo refused', plan),
    );
    expect(out).toMatch(/CapEff:\s0+\nCapBnd:\s0+\nNoNewPrivs:\s1\nrefused/);
  });

  it('leaves no process when a command ends, is stopped, or its backend is destroyed', async () => {
    const mark = `${Date.now() % 100_000}.25`;
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
    const other = testPlan('doomed');
    await provider.create(other);
    const running = sh(`setsid sleep ${mark}`, other);
    await expect.poll(isRunning).toBe(true);
    let isOver = false;
    void running.then(() => {
      isOver = true;
    });
    await provider.destroy('doomed');
    // Before its folder was removed: a process could have put links in the way.
    expect(isOver).toBe(true);
    expect((await running).endedBy).toBe('stopped');
    await expect.poll(isRunning).toBe(false);
  });

  it('dies with the process that runs it', async () => {
    const mark = `${(Date.now() % 100_000) + 1}.75`;
    const script = `
      const { localProvider } = await import(${JSON.stringify(join(import.meta.dirname, '../testing/local-jail.ts'))});
      const { testPlan, testCommand } = await import(${JSON.stringify(join(import.meta.dirname, '../testing/plans.ts'))});
      const provider = localProvider(${JSON.stringify(root)});
      await provider.create(testPlan('orphan'));
      await provider.exec(testPlan('orphan'), testCommand(['/bin/sleep', '${mark}']), new AbortController().signal);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    const sleeping = (): number =>
      readdirSync('/proc').filter((id) => {
        try {
          return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8') === `/bin/sleep\0${mark}\0`;
        } catch {
          return false;
        }
      }).length;
    await vi.waitFor(() => expect(sleeping()).toBe(1), { timeout: 60_000 });
    child.kill('SIGKILL');
    await vi.waitFor(() => expect(sleeping()).toBe(0), { timeout: 60_000 });
  });

  it('is held to its disk, and to the size of a file', async () => {
    const big = await sh('head -c 30000000 /dev/zero > big', plan);
    expect(big.exitCode).not.toBe(0);
    const many = await sh('for i in 1 2 3; do head -c 9000000 /dev/zero > f$i; done; sleep 1000', plan);
    expect(many.endedBy).toBe('disk');
    expect((await sh('rm -f big f1 f2 f3', plan)).exitCode).toBe(0);
  });

  it('is held to its disk in folders whose names are not UTF-8 too, and these can be removed', async () => {
    const own = testPlan('bytes');
    await provider.create(own);
    const fill = 'for i in 1 2 3; do head -c 9000000 /dev/zero > "$d/f$i"; done; chmod 0 "$d"; sleep 1000';
    const hidden = await sh(`d=$(printf 'a\\377'); mkdir "$d"; ${fill}`, own);
    expect(hidden.endedBy).toBe('disk');
    await provider.destroy('bytes');
    expect(existsSync(join(root, 'backends', 'bytes'))).toBe(false);
  });

  it('runs commands of one sandbox side by side, each within its limits until the last one ends', async () => {
    const starts = Array.from({ length: 24 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 20));
      return (await sh(':', plan)).exitCode;
    });
    expect(new Set(await Promise.all(starts))).toEqual(new Set([0]));
  });

  it('keeps what one of several writers of a file wrote, whole, and writes no folder', async () => {
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(400_000));
    const write = (path: string, text: string) =>
      provider.writeFile(plan, path, { signal: never, bytes: Buffer.from(text) });
    await Promise.all(texts.map((text) => write('shared/file', text)));
    const read = await provider.readFile(plan, 'shared/file', { signal: never, limitBytes: 1_000_000 });
    expect(texts).toContain(Buffer.from(read).toString());
    expect((await provider.listFiles(plan, 'shared', { signal: never })).map(({ name }) => name)).toEqual(['file']);
    await expect(write('shared/', 'x')).rejects.toMatchObject({ message: 'shared/ is a folder' });
  });

  it('has the name servers of the machine exactly where it has its network', async () => {
    const script = 'cat /etc/resolv.conf';
    expect((await sh(script, plan)).exitCode).not.toBe(0);
    const isThere = existsSync('/etc/resolv.conf');
    const { stdout } = await sh(script, { ...plan, network: { mode: 'host' } });
    expect(Buffer.from(stdout).toString()).toBe(isThere ? readFileSync('/etc/resolv.conf', 'utf8') : '');
  });

  it('is held to memory and number of processes where the machine has control groups', async () => {
    if (!(await provider.probe()).message.includes('cgroup v')) return;
    const { limits } = plan;
    const small = { ...plan, limits: { ...limits, memoryBytes: 96 * 1_048_576, pids: 12 } };
    const hungry = await sh('x=$(head -c 300000000 /dev/zero | tr "\\0" x); echo $x | wc -c', small);
    expect(hungry.endedBy).toBe('memory');
    const { err } = shown(await sh('for i in $(seq 40); do sleep 1000 & done', small));
    expect(err).toContain('Cannot fork');
  });

  it('is held to limits of each process where no control group can be made, and the report says so', async () => {
    const bare = localProvider(root, { mayGroup: false });
    expect((await bare.probe()).message).toContain('limits by rlimits');
    const small = { ...plan, limits: { ...plan.limits, memoryBytes: 96 * 1_048_576, pids: 12 } };
    const run = (script: string) => bare.exec(small, testCommand(['/bin/sh', '-c', script]), never);
    const { out } = shown(await run('cat /proc/self/limits'));
    expect(out).toMatch(/^Max data size\s+100663296\s+100663296/m);
    expect(out).toMatch(/^Max processes\s+12\s+12/m);
    expect(out).toMatch(/^Max file size\s+16777216\s+16777216/m);
    expect(out).toMatch(/^Max core file size\s+0\s+0/m);
    // `tail` keeps what it is to show in memory.
    const hungry = await run('head -c 150000000 /dev/zero | tail -c 140000000 | wc -c');
    expect(shown(hungry).out.trim()).not.toBe('140000000');
    await expect(run('ulimit -d unlimited')).resolves.not.toMatchObject({ exitCode: 0 });
  });

  it('reaches nothing of the network but allowed hosts, through the proxy', async () => {
    const server = createServer((_request, answer) => answer.end('inside'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const { port } = server.address() as AddressInfo;
    const ask = async (host: string, network: SandboxPlan['network']): Promise<string> => {
      const script = `fetch('http://${host}:${port}/').then((r) => r.text()).then(console.log, () => console.log('unreachable'))`;
      return shown(await sh(`exec /run/svc/node -e "$0"`.replace('$0', script), { ...plan, network })).out.trim();
    };
    expect(await ask('127.0.0.1', { mode: 'none' })).toBe('unreachable');
    const allowed = { mode: 'hosts', hosts: [`allowed.test:${port}`] } as const;
    expect(await ask('allowed.test', allowed)).toBe('inside');
    expect(await ask('other.test', allowed)).toBe(`this sandbox may not reach other.test:${port}`);
    expect(await ask('127.0.0.1', allowed)).toBe('unreachable');
    server.close();
  });
});

describe('a machine where no jail can be made', () => {
  it.each([
    [{ platform: 'darwin' }, 'needs Linux'],
    [{ bubblewrap: undefined }, 'apt-get install bubblewrap'],
    [{ bubblewrap: '/bin/false', isContainer: true }, 'seccomp=unconfined'],
  ])('%j runs nothing and names the remedy', async (facts, remedy) => {
    const broken = localProvider(root, { facts: { platform: 'linux', ...facts } });
    expect(await broken.probe()).toMatchObject({ isAvailable: false, message: expect.stringContaining(remedy) });
    await expect(broken.create(testPlan('x'))).rejects.toMatchObject({ reason: 'SANDBOX_PROVIDER' });
    await expect(broken.exec(testPlan('x'), testCommand(['/bin/true']), never)).rejects.toMatchObject({
      reason: 'SANDBOX_PROVIDER',
    });
  });
});
