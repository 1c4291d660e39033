import { describe, expect, it } from 'vitest';
import { testCommand, testPlan } from '../testing/plans.ts';
import {
  endingScript,
  inputLines,
  launchEvent,
  launchLine,
  markPrefix,
  namePrefix,
  takeoverScript,
} from './remote-script-rules.ts';

describe('the lines of the launcher', () => {
  const plan = testPlan('one', { env: { A: "it's" } });
  const parts = (change: Parameters<typeof testCommand>[1], bytes = 10): readonly string[] =>
    launchLine({
      plan,
      command: testCommand(['/bin/echo', "a'b"], change),
      mark: 'm.',
      outputBytes: bytes,
      errorBytes: 1,
    })
      .trim()
      .split(' ');

  it('say what runs, in which folder, and how much of it is wanted', () => {
    const [mark, out, err, kind, program = ''] = parts({ env: { B: '2' } });
    expect([mark, out, err, kind]).toEqual(['m.', '20', '8', 'closed']);
    const script = Buffer.from(program, 'base64').toString('utf8');
    expect(script).toContain("cd -- '/workspace' || exit 125\n");
    expect(script).toContain("'A=it'\\''s' 'B=2' 'sh' '-c' 'exec \"$@\"' 'sh' '/bin/echo' 'a'\\''b'\n");
    expect(parts({ cwd: '/tmp', setup: { network: { mode: 'none' } } }, 0).slice(1, 4)).toEqual(['0', '8', 'open']);
  });

  it('carry input in pieces, and output, errors and the exit code back', () => {
    expect(inputLines(new Uint8Array(30_000)).trim().split('\n')).toHaveLength(2);
    expect(inputLines(new Uint8Array())).toBe('');
    expect(launchEvent('o aGk=', 'o')).toEqual({ kind: 'bytes', bytes: Buffer.from('hi') });
    expect(launchEvent('x 137', 'o')).toEqual({ kind: 'exit', code: 137 });
    for (const [line, name] of [
      ['x 137', 'e'],
      ['x 1 2', 'o'],
      ['e aGk=', 'o'],
      ['', 'o'],
    ] as const)
      expect(launchEvent(line, name)).toEqual({ kind: 'other' });
  });

  it('name commands by marks, none of them a part of another one', () => {
    const scope = { instance: 'i', id: 'one', holder: 'h' };
    expect(endingScript(`${markPrefix(scope)}1.`)).toContain("'SVC_RUN=i.one.h.1.'");
    expect(takeoverScript(scope)).toMatch(/'SVC_RUN=i\.one\.'[\s\S]*'SVC_RUN=i\.one\.h\.'/);
    expect(namePrefix('a')).toMatch(/^svc-[0-9a-f]{12}-$/);
    expect(namePrefix('a')).not.toBe(namePrefix('b'));
  });
});
