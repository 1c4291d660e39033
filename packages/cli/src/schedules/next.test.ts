import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import type { FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost, NOW_MS } from '../testing/fake-host.ts';

const inSeconds = (seconds: number): bigint => BigInt(NOW_MS + seconds * 1_000) * 1_000n;
const E = '\u001b';
const previews: number[] = [];
const handlers: FakeHandlers = {
  unary: {
    GetSchedule: ({ name, preview }: { name: string; preview: number }) => {
      previews.push(preview);
      const phases: Record<string, string> = { done: 'Completed', idle: 'Ready' };
      return {
        schedule: { metadata: { name }, spec: { enabled: name !== 'off' }, status: { phase: phases[name] ?? '' } },
        nextRuns: name === 'done' || name === 'idle' ? [] : [inSeconds(60), inSeconds(7_200)],
      };
    },
    ListSchedules: ({ ns }: { ns: string }) => ({
      schedules:
        ns === 'default'
          ? [
              { metadata: { name: 'never' } },
              { metadata: { name: 'late' }, status: { nextRunAt: inSeconds(7_200), phase: 'Ready' } },
              { metadata: { name: 'soon' }, status: { nextRunAt: inSeconds(60), phase: 'Ready' } },
            ]
          : [],
    }),
  },
};
const runAt = async (isTerminal: boolean, ...words: string[]) => {
  const shell = fakeHost({ handlers, isTerminal });
  return { exit: await shell.run('schedule', 'next', ...words), out: shell.out(), err: shell.err() };
};
const run = (...words: string[]) => runAt(false, ...words);

describe('svc schedule next', () => {
  it('shows the coming runs of one schedule', async () => {
    expect((await run('nightly', '--count', '2')).out).toMatch(/^RUNS AT +IN\n2026-.* 60s\n2026-.* 2h\n$/);
    expect(JSON.parse((await run('nightly', '-o', 'json')).out)).toEqual({
      ...{ name: 'nightly', nextRuns: ['2026-03-01T12:01:00.000Z', '2026-03-01T14:00:00.000Z'] },
    });
    expect(previews).toEqual([2, 10]);
    expect((await run('off')).err).toContain('off is disabled');
    expect((await run('done')).err).toBe('schedule done does not run again: it is Completed\n');
    expect((await run('idle')).err).toBe('schedule idle does not run again\n');
  });

  it('shows the next run of each, soonest first', async () => {
    expect((await run()).out).toMatch(/^NAME.*\nsoon +2026.* 60s +Ready\nlate +2026.* 2h +Ready\nnever +- +- +-\n$/);
    expect(JSON.parse((await run('-o', 'json')).out)).toMatchObject({
      items: [{ name: 'soon', nextRun: '2026-03-01T12:01:00.000Z' }, {}, { name: 'never', nextRun: null }],
    });
    expect((await run('-n', 'acme')).err).toBe('no schedules in namespace acme\n');
  });

  it('shows at a terminal what phases mean by their colours, unless told not to', async () => {
    expect((await runAt(true)).out).toMatch(new RegExp(`soon .* ${E}\\[32mReady${E}\\[39m\n`));
    expect((await runAt(true, '--no-color')).out).not.toContain(E);
  });

  it.each(['0', '21', 'many'])('refuses --count %s', async (count) => {
    expect((await run('nightly', '--count', count)).exit).toBe(exitCodes.refused);
  });
});
