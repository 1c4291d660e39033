import { describe, expect, it } from 'vitest';
import { exitCodes } from '../failure.ts';
import { fakeHost } from '../testing/fake-host.ts';

const run = async (words: readonly string[], answer: object) => {
  const asked: unknown[] = [];
  const ExecSandbox = (request: object) => {
    asked.push(request);
    return answer;
  };
  const fake = fakeHost({ handlers: { unary: { ExecSandbox } } });
  const exit = await fake.run('sandbox', 'exec', ...words);
  return { exit, out: fake.out(), err: fake.err(), asked };
};

describe('svc sandbox exec', () => {
  it('runs the words behind -- as they are, and prints what they wrote', async () => {
    const answer = { stdout: 'a\nb\n', stderr: 'careful\n', endedBy: 'exit' };
    const { exit, out, err, asked } = await run(['box', '--cwd', '/tmp', '--', 'ls', '-l', '--cwd', 'x y'], answer);
    expect([exit, out, err]).toEqual([0, 'a\nb\n', 'careful\n']);
    expect(asked).toEqual([
      expect.objectContaining({
        ns: 'default',
        name: 'box',
        argv: ['ls', '-l', '--cwd', 'x y'],
        cwd: '/tmp',
        timeLimitMs: 30_000,
      }),
    ]);
  });

  it('fails as the command did, and says why', async () => {
    const failed = await run(['box', '--', 'false'], { exitCode: 3, stdout: 'half\n', endedBy: 'exit' });
    expect([failed.exit, failed.out]).toEqual([exitCodes.refused, 'half\n']);
    expect(failed.err).toContain('the command ended with exit code 3');
    const late = await run(['box', '--for', '2m', '--', 'sleep', '200'], { exitCode: 137, endedBy: 'timeout' });
    expect(late.asked).toEqual([expect.objectContaining({ timeLimitMs: 120_000 })]);
    expect(late.err).toContain('took too long');
  });

  it('says that output was dropped, and prints all of it as JSON', async () => {
    const cut = await run(['box', '-o', 'json', '--', 'yes'], { stdout: 'y', outputCut: true, endedBy: 'exit' });
    expect(JSON.parse(cut.out)).toMatchObject({ stdout: 'y', outputCut: true });
    expect(cut.err).toContain('the rest was dropped');
  });
});
