import { ApplyOutcome } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { fakeWorld } from '../testing/fake-world.ts';

const files = { '/work/a.yaml': { text: 'kind: Agent\nmetadata: {name: a}\nspec: {systemPrompt: x}\n', mode: 0o600 } };

/** An apply of these kinds whose resources are read with these statuses, the last one for ever. */
const applying = async (statuses: readonly object[], words: readonly string[] = ['--wait']) => {
  let reads = 0;
  const asked: object[] = [];
  const outcome = ApplyOutcome.CREATED;
  const subscription = { spec: { kind: { case: 'channelSubscription', value: { channel: 'room' } } } };
  const shell = fakeWorld({
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
        GetResource: (address: { kind: string; name: string }) => {
          asked.push(address);
          const resource = { kind: address.kind, metadata: { name: address.name, generation: 2n } };
          if (address.kind !== 'Agent') return { resource };
          const value = statuses[Math.min(reads, statuses.length - 1)];
          reads += 1;
          return { resource: { ...resource, status: { kind: { case: 'agent', value } } } };
        },
      },
    },
  });
  return { exit: await shell.run('apply', '-f', 'a.yaml', ...words), err: shell.err(), asked };
};
const status = (observedGeneration: bigint, ready: string) => ({
  observedGeneration,
  conditions: [{ type: 'Ready', status: ready, reason: 'ModelMissing', message: 'no model' }],
});

describe('svc apply --wait', () => {
  it('ends when everything is judged as it is now and is not unready', async () => {
    const { exit, err, asked } = await applying([status(1n, 'True'), status(2n, 'False'), status(2n, 'Unknown')]);
    expect([exit, err, asked.length]).toEqual([exitCodes.ok, 'everything is ready\n', 3]);
  });

  it('finds each kind where it lives, and passes by what has no controller', async () => {
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
    expect((await applying([status(1n, 'True')], ['--wait', '1s'])).err).toContain('not looked at yet');
  });

  it('is not asked for by a dry run', async () => {
    expect((await applying([status(1n, 'False')], ['--wait', '--dry-run=server'])).exit).toBe(exitCodes.ok);
  });
});
