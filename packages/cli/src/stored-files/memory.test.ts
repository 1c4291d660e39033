import type { ForgetMemoryRequest } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { fakeHost } from '../testing/fake-host.ts';

const run = async (...words: string[]) => {
  const forgotten: string[] = [];
  const ForgetMemory = ({ ns, identity }: ForgetMemoryRequest) => {
    forgotten.push(`${ns} ${identity}`);
    return { removed: forgotten.length };
  };
  const shell = fakeHost({ handlers: { unary: { ForgetMemory } } });
  return { exit: await shell.run(...words), forgotten, out: shell.out(), err: shell.err() };
};

describe('svc memory forget', () => {
  it('removes what belongs to an identity in the namespace, once that is confirmed', async () => {
    expect(await run('memory', 'forget', 'key:1', '-n', 'acme', '--yes')).toEqual({
      ...{ exit: exitCodes.ok, forgotten: ['acme key:1'], out: '1 file of key:1 removed\n', err: '' },
    });
    const refused = await run('memory', 'forget', 'key:1');
    expect([refused.exit, refused.forgotten]).toEqual([exitCodes.refused, []]);
    expect(refused.err).toContain('nothing was removed');
  });
});
