import { describe, expect, it } from 'vitest';
import { ProofJudge } from './judge-proofs.ts';
import type { TestResult } from './test-results.ts';

const sources = [
  {
    path: 'a.test.ts',
    text: `it('keeps what it was given', () => {}); it.each([])('keeps %s', () => {}); it('keeps nothing', () => {});`,
  },
  { path: 'shared/cases.ts', text: `export const cases = () => it('holds on every engine', () => {});` },
  { path: 'shared/index.ts', text: `export * from './cases.ts';` },
  { path: 'one.test.ts', text: `import { cases } from './shared/index.ts'; cases();` },
  { path: 'two.test.ts', text: `it('stands alone', () => {});` },
];
const judge = new ProofJudge(sources);
const ran = (file: string, title: string, status = 'passed'): TestResult => ({ file, title, status });

describe('a proof', () => {
  const proof = { file: 'a.test.ts', title: 'keeps what it was given' };

  it('is the exact title of a test of its file, and no part of one', () => {
    expect(judge.undeclared(proof)).toBeUndefined();
    expect(judge.undeclared({ ...proof, title: 'keeps what it was' })).toBe(
      'a.test.ts: no test has the title "keeps what it was"',
    );
    expect(judge.undeclared({ ...proof, file: 'two.test.ts' })).toContain('no test has the title');
    expect(judge.undeclared({ ...proof, file: 'gone.test.ts' })).toBe('gone.test.ts: there is no such file');
  });

  it('has to run and to pass', () => {
    expect(judge.unproven(proof, [ran('a.test.ts', proof.title)])).toBeUndefined();
    expect(judge.unproven(proof, [])).toBe('a.test.ts: "keeps what it was given" did not run');
    expect(judge.unproven(proof, [ran('two.test.ts', proof.title)])).toContain('did not run');
    expect(judge.unproven(proof, [ran('a.test.ts', `${proof.title} before`)])).toContain('did not run');
    expect(judge.unproven(proof, [ran('a.test.ts', proof.title, 'failed')])).toBe(
      'a.test.ts: "keeps what it was given" failed',
    );
  });

  it('is not given by a test that was skipped, unless it passed in another project', () => {
    const skipped = ran('a.test.ts', proof.title, 'skipped');
    expect(judge.unproven(proof, [skipped])).toBe('a.test.ts: "keeps what it was given" was skipped');
    expect(judge.unproven(proof, [skipped, ran('a.test.ts', proof.title)])).toBeUndefined();
    expect(judge.unproven(proof, [ran('a.test.ts', proof.title), ran('a.test.ts', proof.title, 'failed')])).toContain(
      'failed',
    );
  });

  it('of many cases is given by all of them, and by no other test', () => {
    const each = { file: 'a.test.ts', title: 'keeps %s' };
    expect(judge.unproven(each, [ran('a.test.ts', 'keeps one'), ran('a.test.ts', 'keeps two')])).toBeUndefined();
    expect(judge.unproven(each, [ran('a.test.ts', 'keeps one'), ran('a.test.ts', 'keeps two', 'skipped')])).toBe(
      'a.test.ts: "keeps two" was skipped',
    );
    expect(judge.unproven(each, [ran('a.test.ts', 'keeps nothing')])).toContain('did not run');
  });

  it('in shared cases is given where they run', () => {
    const shared = { file: 'shared/cases.ts', title: 'holds on every engine' };
    expect(judge.unproven(shared, [ran('one.test.ts', shared.title)])).toBeUndefined();
    expect(judge.unproven(shared, [ran('two.test.ts', shared.title)])).toContain('did not run');
  });
});
