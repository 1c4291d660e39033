import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../base/index.ts';
import type { SandboxProviderKind, SandboxResult } from '../../../../sandbox/contract.ts';
import { DemoProvider } from '../../../../sandbox/index.ts';
import { testCommand, testPlan } from '../../../../sandbox/testing/plans.ts';
import { ProviderPool } from './provider-pool.ts';
import { ProviderReports } from './provider-reports.ts';
import { StoppableProvider } from './stoppable-provider.ts';

const clock = new ManualClock();
const access = { credentials: {}, namespace: 'team' };
const kind: SandboxProviderKind = {
  name: 'engine',
  problems: () => [],
  identity: ({ socket }) => String(socket),
  open: () => new DemoProvider({ clock }),
};
const pool = (chosen?: Readonly<Record<string, unknown>>): ProviderPool =>
  new ProviderPool({ providers: [new DemoProvider({ clock })], providerKinds: [kind], chosen });

describe('the providers of a process', () => {
  it('are one for all classes, or one for each engine that classes mean', async () => {
    const all = pool();
    const engine = (socket: string, more = {}) =>
      all.find({ provider: 'engine', config: { socket, ...more }, ...access });
    expect(all.opened()).toHaveLength(1);
    expect(all.find({ provider: 'demo', config: { cpu: 1 }, ...access })).toBe(all.opened()[0]);
    expect(engine('a', { cpu: 1 })).toBe(engine('a'));
    expect(engine('b')).not.toBe(engine('a'));
    expect(all.opened()).toHaveLength(3);
    await all.close();
    await expect(engine('a')?.list()).rejects.toMatchObject({ reason: 'SHUTTING_DOWN' });
  });

  it('are closed after the end of a command that was still starting', async () => {
    const [starting, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<SandboxResult>()];
    class SlowProvider extends DemoProvider {
      override async start(...asked: Parameters<DemoProvider['start']>) {
        await starting.promise;
        return { ...(await super.start(...asked)), ended: ended.promise };
      }
    }
    const provider = new StoppableProvider(new SlowProvider({ clock }));
    const plan = testPlan('starting');
    await provider.create(plan);
    const process = provider.start(plan, testCommand(['mirror']), new AbortController().signal);
    let isClosed = false;
    const closed = provider.close().then(() => {
      isClosed = true;
    });
    starting.resolve();
    await process;
    await setImmediate();
    expect(isClosed).toBe(false);
    ended.resolve({
      exitCode: 137,
      stdout: new Uint8Array(),
      stderr: new Uint8Array(),
      isCut: false,
      endedBy: 'stopped',
    });
    await closed;
  });

  it('are those that the operator chose; a class that means another one is told which there are', () => {
    const chosen = pool({ engine: {} });
    expect(chosen.find({ provider: 'demo', config: {}, ...access })).toBeUndefined();
    const log = { warn: () => undefined };
    const reports = new ProviderReports({ pool: pool(), log, monotonicMs: () => 0 });
    expect(reports.current({ provider: 'e2b', config: {}, ...access })).toEqual({
      isAvailable: false,
      message: 'this server has no sandbox provider e2b: use demo or engine',
    });
  });
});
