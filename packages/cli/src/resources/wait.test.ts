import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

/** A skill that is answered in these states, the last one for ever. */
const states = (...answers: readonly (object | undefined)[]) => {
  let index = 0;
  return fakeHost({
    handlers: {
      unary: {
        GetResource: () => {
          const status = answers[Math.min(index, answers.length - 1)];
          index += 1;
          if (status === undefined) throw new FakeFault('NOT_FOUND', 'SKILL_NOT_FOUND');
          const metadata = { name: 's', namespace: 'default', generation: 2n };
          return {
            resource: {
              apiVersion: 'svc/v1',
              kind: 'Skill',
              metadata,
              status: { kind: { case: 'skill', value: status } },
            },
          };
        },
      },
    },
  });
};
const ready = (status: string, observedGeneration = 2n) => ({
  observedGeneration,
  phase: 'Ready',
  conditions: [{ type: 'Ready', status }],
});

describe('svc wait', () => {
  it('ends when the condition holds for the spec as it is now', async () => {
    const shell = states(undefined, ready('False'), ready('True', 1n), ready('True'));
    expect(await shell.run('wait', 'skill', 's')).toBe(exitCodes.ok);
    expect(shell.calls).toHaveLength(4);
    expect(await states(ready('False')).run('wait', 'skill', 's', '--for', 'condition=Ready=False')).toBe(exitCodes.ok);
  });

  it('knows phases and deletion', async () => {
    expect(await states({ phase: 'Pending' }, ready('True')).run('wait', 'skill/s', '--for', 'phase=ready')).toBe(
      exitCodes.ok,
    );
    expect(await states(ready('True'), undefined).run('wait', 'skill', 's', '--for', 'delete')).toBe(exitCodes.ok);
  });

  it('ends with 1 when the resource keeps failing, and takes what nothing executes for done', async () => {
    const degraded = {
      observedGeneration: 2n,
      phase: 'Degraded',
      conditions: [{ type: 'Ready', status: 'False', reason: 'Incomplete', message: 'no text' }],
    };
    const failed = states(degraded);
    expect(await failed.run('wait', 'skill', 's')).toBe(exitCodes.refused);
    expect([failed.calls.length, failed.err()]).toEqual([11, expect.stringContaining('Incomplete: no text')]);
    const idle = states({
      observedGeneration: 2n,
      phase: 'Ready',
      conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NotExecuted', message: 'skills sleep' }],
    });
    expect(await idle.run('wait', 'skill', 's')).toBe(exitCodes.ok);
    expect(idle.err()).toBe('skill/s is stored, not running: skills sleep\n');
  });

  it('does not take a phase of another generation for the present one', async () => {
    const shell = states({ observedGeneration: 1n, phase: 'Ready' }, ready('True'));
    expect(await shell.run('wait', 'skill', 's', '--for', 'phase=Ready')).toBe(exitCodes.ok);
    expect(shell.calls).toHaveLength(2);
  });

  it('gives up when the time is over', async () => {
    expect(await states({}).run('wait', 'skill', 's', '--timeout', '1s')).toBe(exitCodes.timeout);
  });

  it.each(['sunshine', 'phase', 'condition='])('refuses --for %s', async (goal) => {
    expect(await states({}).run('wait', 'skill', 's', '--for', goal)).toBe(exitCodes.refused);
  });

  it('passes on other failures', async () => {
    const shell = fakeHost({
      handlers: {
        unary: {
          GetResource: () => {
            throw new FakeFault('PERMISSION_DENIED', 'SCOPE');
          },
        },
      },
    });
    expect(await shell.run('wait', 'skill', 's')).toBe(exitCodes.connection);
  });
});
