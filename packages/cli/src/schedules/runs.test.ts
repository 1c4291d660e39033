import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import type { FakeHandlers } from '../testing/fake-fetch.ts';
import { fakeHost, NOW_MS } from '../testing/fake-host.ts';

const micros = BigInt(NOW_MS) * 1_000n;
const handlers: FakeHandlers = {
  unary: {
    RunSchedule: ({ ns, name }: { ns: string; name: string }) =>
      name === 'flow' ? { runId: 'r-1' } : { sessionId: `${ns}-s`, turnId: `${name}-t` },
    GetSchedule: ({ name }: { name: string }) => ({
      schedule: {
        metadata: { name },
        status:
          name === 'fresh'
            ? {}
            : {
                lastSessionId: 's-1',
                recentEvents: [
                  { timestamp: micros, phase: 'claim', outcome: 'acquired' },
                  { timestamp: micros, phase: 'dispatch', outcome: 'retry', detail: 'AGENT_NOT_FOUND: no \u001bagent' },
                ],
              },
      },
    }),
  },
};
const run = async (...words: string[]) => {
  const shell = fakeHost({ handlers });
  return { exit: await shell.run('schedule', ...words), out: shell.out(), err: shell.err() };
};

describe('svc schedule', () => {
  it('run starts it and says where', async () => {
    const { out, err } = await run('run', 'nightly', '-n', 'acme');
    expect(out).toBe('schedule/nightly started turn nightly-t in session acme-s\n');
    expect(err).toContain('svc schedule history nightly');
    expect(JSON.parse((await run('run', 'nightly', '-o', 'json')).out)).toEqual({
      sessionId: 'default-s',
      turnId: 'nightly-t',
    });
    expect((await run('run', 'nightly', '-o', 'name')).out).toBe('session/default-s\n');
    expect((await run('run')).exit).toBe(exitCodes.refused);
    expect((await run('run', 'flow')).out).toBe('schedule/flow started run r-1\n');
    expect((await run('run', 'flow', '-o', 'name')).out).toBe('run/r-1\n');
  });

  it('history shows what happened, oldest first', async () => {
    const { out, err } = await run('history', 'nightly');
    expect(out).toMatch(
      /^TIME +EVENT +DETAIL\n2026-.* claim\/acquired.*\n2026-.* dispatch\/retry +AGENT_NOT_FOUND: no \^\[agent/,
    );
    expect(err).toBe('the last run was in session s-1\n');
    expect(JSON.parse((await run('history', 'nightly', '-o', 'json')).out)).toMatchObject({
      items: [{ time: '2026-03-01T12:00:00.000Z', event: 'claim/acquired', detail: '' }, {}],
    });
    expect((await run('history', 'fresh')).err).toBe('nothing has happened to schedule fresh yet\n');
  });
});
