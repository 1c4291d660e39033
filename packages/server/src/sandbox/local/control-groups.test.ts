import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findControlGroups, type GroupPlaces, processLimits } from './control-groups.ts';

const MIB = 1_048_576;
const limits = { cpu: 0.5, memoryBytes: 64 * MIB, pids: 8, diskBytes: 10 * MIB, outputBytes: 1 };

/**
 * Folders with the files that the kernel would put there. A folder of the kernel has its files when it is made and loses them with it; here those of
 * the groups to come are made beforehand.
 */
describe('control groups', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-groups-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const folder = (path: string, files: Readonly<Record<string, string>>): string => {
    const made = join(root, path);
    mkdirSync(made, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
    return made;
  };
  const group = (name: string): string => `svc-${process.pid}-${name}`;
  const V2 = { 'memory.max': 'max', 'memory.swap.max': 'max', 'pids.max': 'max', 'cpu.max': '', 'cgroup.procs': '' };
  const valuesOf = (path: string, names: readonly string[]): readonly string[] =>
    names.map((name) => readFileSync(join(path, name), 'utf8'));

  const version2 = (controllers = 'cpuset cpu io memory pids'): GroupPlaces => {
    folder('unit', { 'cgroup.controllers': `${controllers}\n`, 'cgroup.subtree_control': '' });
    for (const name of ['trial', 's1'])
      folder(`unit/${group(name)}`, { ...V2, 'memory.events': 'oom 3\noom_kill 2\n' });
    return { root, own: '0::/unit\n' };
  };

  it('of version 2 get the limits of a sandbox, its processes, and are one for all of its commands', async () => {
    const groups = await findControlGroups(version2());
    expect(groups?.version).toBe(2);
    expect(readFileSync(join(root, 'unit', 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids +cpu');
    const first = await groups?.open('s1', limits);
    const path = join(root, 'unit', group('s1'));
    expect(valuesOf(path, ['memory.max', 'memory.swap.max', 'pids.max', 'cpu.max'])).toEqual([
      String(64 * MIB),
      '0ax',
      '8ax',
      '50000 100000',
    ]);
    const second = await groups?.open('s1', limits);
    await second?.admit(4_711);
    expect(valuesOf(path, ['cgroup.procs'])).toEqual(['4711']);
    expect(await first?.memoryKills()).toBe(2);
    first?.close();
    expect(existsSync(path)).toBe(true);
    for (const name of [...Object.keys(V2), 'memory.events']) rmSync(join(path, name));
    second?.close();
    expect(existsSync(path)).toBe(false);
  });

  it('of version 1 are used where version 2 has no controllers', async () => {
    const files: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      memory: { 'memory.limit_in_bytes': '', 'memory.memsw.limit_in_bytes': '1', 'memory.oom_control': 'oom_kill 1\n' },
      pids: { 'pids.max': '' },
      cpu: { 'cpu.cfs_period_us': '', 'cpu.cfs_quota_us': '' },
    };
    for (const [controller, own] of Object.entries(files))
      for (const name of ['trial', 's1']) folder(`${controller}/a/${group(name)}`, { ...own, 'cgroup.procs': '' });
    const lines = ['memory', 'pids', 'cpu'].map((name, index) => `${index + 1}:${name}:/a`);
    const groups = await findControlGroups({ root, own: [...lines, '0::/'].join('\n') });
    expect(groups?.version).toBe(1);
    const opened = await groups?.open('s1', limits);
    await opened?.admit(42);
    expect(valuesOf(join(root, 'memory/a', group('s1')), ['memory.limit_in_bytes', 'cgroup.procs'])).toEqual([
      String(64 * MIB),
      '42',
    ]);
    expect(valuesOf(join(root, 'cpu/a', group('s1')), ['cpu.cfs_period_us', 'cpu.cfs_quota_us'])).toEqual([
      '100000',
      '50000',
    ]);
    expect(await opened?.memoryKills()).toBe(1);
  });

  it('are none where the controllers are missing or the server may not make any', async () => {
    expect(await findControlGroups(version2('cpuset memory'))).toBeUndefined();
    expect(await findControlGroups({ root, own: '' })).toBeUndefined();
    folder('bare', { 'cgroup.controllers': 'cpu memory pids' });
    expect(await findControlGroups({ root, own: '0::/bare' })).toBeUndefined();
  });

  it('that a dead process left are removed; those of living ones stay', async () => {
    const places = version2();
    const dead = folder('unit/svc-999999999-old', {});
    const living = folder(`unit/svc-${process.ppid}-other`, {});
    await findControlGroups(places);
    expect([existsSync(dead), existsSync(living)]).toEqual([false, true]);
    rmdirSync(living);
  });

  it('are replaced by limits of each process where there are none', () => {
    expect(processLimits(limits, true)).toEqual(['ulimit -c 0', 'ulimit -f 20480']);
    expect(processLimits(limits, false).slice(2)).toEqual([
      'ulimit -d 65536',
      'ulimit -u 8 2>/dev/null || ulimit -p 8 2>/dev/null || exit 126',
    ]);
  });
});

const real = existsSync('/proc/self/cgroup')
  ? await findControlGroups({ root: '/sys/fs/cgroup', own: readFileSync('/proc/self/cgroup', 'utf8') })
  : undefined;

it.runIf(real !== undefined)('take other limits while processes of an earlier use are still in the group', async () => {
  const left = spawn('sleep', ['60'], { stdio: 'ignore' });
  const ended = once(left, 'exit');
  try {
    for (const memoryBytes of [64 * MIB, 256 * MIB, 32 * MIB]) {
      const group = await real?.open('again', { ...limits, memoryBytes });
      await group?.admit(left.pid ?? 0);
      group?.close();
    }
  } finally {
    left.kill('SIGKILL');
    await ended;
  }
  (await real?.open('again', limits))?.close();
});
