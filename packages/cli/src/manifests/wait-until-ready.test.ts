import { ApplyOutcome } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { fakeHost } from '../testing/fake-host.ts';

const files = { '/work/a.yaml': { text: 'kind: Agent\nmetadata: {name: a}\nspec: {systemPrompt: x}\n', mode: 0o600 } };

/** An apply of these kinds whose resources are read with these statuses, the last one for ever. */
const applying = async (statuses: readonly object[], words: readonly string[] = ['--wait']) => {
  let reads = 0;
  const asked: object[] = [];
  const outcome = ApplyOutcome.CREATED;
  const subscription = { spec: { kind: { case: 'channelSubscription', value: { channel: 'room' } } } };
  const shell = fakeHost({
    files,
    handlers: {
      unary: {
        ApplyManifests: () => ({
          results: [
            { kind: 'Agent', ns: 'default', name: 'a', outcome },
            { kind: 'Agent', ns: 'default', name: 'old', outcome: ApplyOutcome.PRUNED },
            ...(words.includes('30s')
              ? [
                  { kind: 'Namespace', name: 'n', outcome },
                  { kind: 'AgentTemplate', ns: 'system', name: 't', outcome },
                  { kind: 'ChannelSubscription', ns: 'default', name: 's', outcome, resource: subscription },
                ]
              : []),
          ],
        }),
        ListResources: () => ({ resources: [] }),
        GetResource: (address: { kind: string; name: string }) => {
          asked.push(address);
          const resource = {
            apiVersion: 'svc/v1',
            kind: address.kind,
            metadata: { name: address.name, generation: 2n },
          };
          if (address.kind !== 'Agent') return { resource: { ...resource, status: { kind: done(address.kind) } } };
          const value = statuses[Math.min(reads, statuses.length - 1)];
          reads += 1;
          return { resource: { ...resource, status: { kind: { case: 'agent', value } } } };
        },
      },
    },
  });
  return { exit: await shell.run('apply', '-f', 'a.yaml', ...words), err: shell.err(), asked };
};
/** A status of that kind for generation 2. */
const done = (kind: string) => ({
  case: `${kind.charAt(0).toLowerCase()}${kind.slice(1)}` as 'skill',
  value: { observedGeneration: 2n, phase: 'Ready' },
});
const status = (observedGeneration: bigint, ready: string) => ({
  observedGeneration,
  conditions: [{ type: 'Ready', status: ready, reason: 'ModelMissing', message: 'no model' }],
});

describe('svc apply --wait', () => {
  it('ends when everything is judged as it is now and is not unready', async () => {
    const { exit, err, asked } = await applying([status(1n, 'True'), status(2n, 'False'), status(2n, 'Unknown')]);
    expect([exit, err, asked.length]).toEqual([exitCodes.ok, 'everything is ready\n', 3]);
  });

  it('finds each kind where it lives', async () => {
    const { exit, asked } = await applying([status(2n, 'True')], ['--wait', '30s']);
    expect([exit, asked]).toMatchObject([
      exitCodes.ok,
      [
        { ns: 'default', kind: 'Agent', name: 'a' },
        { ns: 'n', kind: 'Namespace', name: 'n' },
        { ns: 'system', kind: 'Template', name: 't' },
        { ns: 'default', kind: 'ChannelSubscription', parent: 'room', name: 's' },
      ],
    ]);
  });

  it('ends with 5 and the reason when the time is over', async () => {
    const { exit, err } = await applying([status(2n, 'False')], ['--wait', '1s']);
    expect([exit, err]).toEqual([
      exitCodes.timeout,
      expect.stringContaining('Agent default/a: ModelMissing: no model'),
    ]);
    expect((await applying([status(1n, 'True')], ['--wait', '1s'])).err).toContain(
      'its controller has not checked the current generation yet',
    );
  });

  it('ends with 1 and the reason when something keeps failing, long before the time is over', async () => {
    const degraded = { ...status(2n, 'False'), phase: 'Degraded' };
    const { exit, err, asked } = await applying([degraded], ['--wait', '5m']);
    expect(exit).toBe(exitCodes.refused);
    expect(err).toContain('Agent default/a: ModelMissing: no model');
    // The first look, then two a second for 5 s.
    expect(asked).toHaveLength(11);
    const mended = await applying([degraded, degraded, { ...status(2n, 'True'), phase: 'Ready' }], ['--wait', '5m']);
    expect([mended.exit, mended.err]).toEqual([exitCodes.ok, 'everything is ready\n']);
  });

  it('takes what nothing executes for done, and says so', async () => {
    const conditions = [{ type: 'Ready', status: 'Unknown', reason: 'NotExecuted', message: 'agents sleep' }];
    const { exit, err } = await applying([{ observedGeneration: 2n, phase: 'Ready', conditions }], ['--wait']);
    expect([exit, err]).toEqual([
      exitCodes.ok,
      'Agent default/a is stored, not running: agents sleep\neverything else is ready\n',
    ]);
  });

  it('is not asked for by a dry run', async () => {
    expect((await applying([status(1n, 'False')], ['--wait', '--dry-run=server'])).exit).toBe(exitCodes.ok);
  });
});
