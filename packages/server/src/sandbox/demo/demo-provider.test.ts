import { expect, it } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { providerSuite } from '../conformance/provider-suite.ts';
import { shown, testCommand, testPlan } from '../testing/plans.ts';
import { DemoProvider } from './demo-provider.ts';

const provider = new DemoProvider({ clock: systemClock });

providerSuite('demo', {
  provider: () => provider,
  echo: (text) => [`echo ${text}`],
  fail: (code, text) => [`fail ${code} ${text}`],
  hang: ['hang'],
  mirror: ['mirror'],
  printVariable: (name) => [`env ${name}`],
});

it('writes and reads files by command, knows no other commands, and can lose itself', async () => {
  const plan = testPlan('demo');
  const { signal } = new AbortController();
  const run = async (line: string) => shown(await provider.exec(plan, testCommand([line]), signal));
  expect(await provider.probe()).toMatchObject({ isAvailable: true });
  await provider.create(plan);
  await run('write sub/a.txt one two');
  expect(await run('cat sub/a.txt')).toEqual({ out: 'one two', err: '' });
  expect((await run('cat b')).err).toBe('/workspace/b: no such file\n');
  expect((await run('make all')).err).toBe('make: not found\n');
  expect(await provider.listFiles(plan, '.', { signal }).catch((error: unknown) => String(error))).toContain('no .');
  expect(await provider.listFiles(plan, '/workspace', { signal })).toEqual([
    { name: 'sub', type: 'directory', sizeBytes: 0 },
  ]);
  const stopped = await provider.exec(plan, testCommand(['hang']), AbortSignal.abort());
  expect(stopped.endedBy).toBe('stopped');
  expect(provider.installCommands(['a', 'missing'])).toEqual([
    ['write .packages/a installed'],
    ['fail 1 no package missing'],
  ]);
  await run('vanish');
  expect(await provider.exists('demo')).toBe(false);
});
