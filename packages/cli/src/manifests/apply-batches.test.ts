import { type ApplyManifestsRequest, ApplyOutcome } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { FakeFault } from '../testing/fake-fetch.ts';
import { fakeHost } from '../testing/fake-host.ts';

/** Agents `a0`, `a1`, …, and before them in the order of application a namespace that stands last. */
const text = (count: number): string =>
  [
    ...Array.from({ length: count }, (_, index) => `kind: Agent\nmetadata: {name: a${index}}\n`),
    'kind: Namespace\nmetadata: {name: n}\n',
  ].join('---\n');

/** A server that refuses agents of those names, and answers only so many calls. */
const host = (count: number, facts: { readonly bad?: readonly string[]; readonly calls?: number } = {}) => {
  const sent: string[][] = [];
  const requests: ApplyManifestsRequest[] = [];
  const files = { '/work/a.yaml': { text: text(count), mode: 0o600 } };
  const ApplyManifests = (request: ApplyManifestsRequest) => {
    if (sent.length >= (facts.calls ?? 9)) throw new FakeFault('UNAVAILABLE', 'STORAGE');
    const found = [...request.text.matchAll(/"kind":"(\w+)".*?"name":"(\w+)"/g)];
    sent.push(found.map(([, , name = '']) => name));
    requests.push(request);
    const results = found.map(([, kind = '', name = '']) => {
      const isBad = facts.bad?.includes(name) === true;
      const fieldErrors = isBad ? [{ field: 'spec', description: 'is bad', reason: 'BAD' }] : [];
      return { kind, ns: 'default', name, outcome: isBad ? ApplyOutcome.FAILED : ApplyOutcome.CREATED, fieldErrors };
    });
    return { results };
  };
  const fake = fakeHost({ piped: '', files, handlers: { unary: { ApplyManifests } } });
  const last = (): string | undefined => fake.out().trim().split('\n').at(-1);
  return { ...fake, sent, requests, last };
};

describe('what may be applied one by one', () => {
  it('goes in as many calls as it takes, in the order of application, and is told in that of the input', async () => {
    const fake = host(500);
    expect(await fake.run('apply', '-f', 'a.yaml', '--no-atomic')).toBe(exitCodes.ok);
    expect(fake.sent.map((names) => [names.length, names[0]])).toEqual([
      [400, 'n'],
      [101, 'a399'],
    ]);
    expect(fake.requests.every(({ atomic }) => atomic === false)).toBe(true);
    const lines = fake.out().split('\n');
    expect([lines[0], lines[500], fake.last()]).toEqual([
      expect.stringContaining('default/a0'),
      expect.stringContaining('default/n'),
      '501 created',
    ]);
  });

  it('stops after the call in which something failed, unless it shall go on', async () => {
    const stopped = host(500, { bad: ['a7'] });
    expect(await stopped.run('apply', '-f', 'a.yaml', '--no-atomic')).toBe(exitCodes.partial);
    expect([stopped.sent.length, stopped.last()]).toEqual([1, '399 created, 1 failed, 101 not attempted']);
    const going = host(500, { bad: ['a7'] });
    expect(await going.run('apply', '-f', 'a.yaml', '--no-atomic', '--keep-going')).toBe(exitCodes.partial);
    expect([going.sent.length, going.last()]).toEqual([2, '500 created, 1 failed']);
  });

  it('tells what is applied when a later call is not answered', async () => {
    const later = host(500, { calls: 1 });
    expect(await later.run('import', 'a.yaml')).toBe(exitCodes.partial);
    expect(later.last()).toBe('400 created, 101 failed');
    expect(later.out()).toContain('(CALL_FAILED)');
    expect(await host(500, { calls: 0 }).run('import', 'a.yaml')).toBe(exitCodes.connection);
  });

  it('stays one call when it fits, is pruned or only tried', async () => {
    for (const words of [[], ['--dry-run'], ['--prune', '--set', 's', '--yes']]) {
      const fake = host(words.length === 0 ? 20 : 500);
      expect(await fake.run('apply', '-f', 'a.yaml', '--no-atomic', ...words)).toBe(exitCodes.ok);
      expect(fake.sent.length).toBe(1);
    }
  });
});

it('more documents than one transaction takes are refused with advice, but compared', async () => {
  const fake = host(500);
  expect(await fake.run('apply', '-f', 'a.yaml')).toBe(exitCodes.refused);
  expect([fake.sent, fake.err()]).toEqual([[], expect.stringContaining('--no-atomic applies them one by one')]);
  const compared = host(500);
  expect(await compared.run('diff', '-f', 'a.yaml')).toBe(exitCodes.refused);
  expect(compared.requests[0]).toMatchObject({ atomic: false, keepGoing: true, dryRun: true });
});
