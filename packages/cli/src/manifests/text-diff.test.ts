import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { unifiedDiff } from './text-diff.ts';

const lines = (...numbers: readonly (number | string)[]): string =>
  numbers.map((number) => `line ${number}\n`).join('');
const twenty = Array.from({ length: 20 }, (_, index) => index + 1);
const hasPatch = spawnSync('patch', ['--version']).status === 0;

const cases: readonly (readonly [what: string, before: string, after: string])[] = [
  ['a changed line', lines(1, 2, 3), lines(1, 'two', 3)],
  ['changes far apart', lines(...twenty), lines('first', ...twenty.slice(1, 19), 'last')],
  ['a new text', '', lines(1, 2)],
  ['a removed text', lines(1, 2), ''],
  ['lines added at the start', lines(...twenty), lines('zero', ...twenty)],
  ['lines removed at the end', lines(...twenty), lines(...twenty.slice(0, 15))],
];

it.skipIf(!hasPatch)('a diff is one that the patch program applies', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-patch-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'text.yaml');
  for (const [what, before, after] of cases) {
    writeFileSync(path, before);
    const diff = unifiedDiff({ before, after }, { before: 'Agent default/a live', after: 'Agent default/a applied' });
    // Without fuzz and without reverting: the heads have to be right.
    execFileSync('patch', ['--fuzz=0', '--forward', path], { input: diff, encoding: 'utf8' });
    // What becomes empty is removed.
    expect([what, existsSync(path) ? readFileSync(path, 'utf8') : '']).toEqual([what, after]);
  }
});

it('heads of hunks name the first line and the count of both sides', () => {
  const heads = cases.map(
    ([, before, after]) =>
      unifiedDiff({ before, after }, { before: 'a', after: 'b' })
        .match(/^@@.*$/gm)
        ?.join(' ') ?? '',
  );
  expect(heads).toEqual([
    '@@ -1,3 +1,3 @@',
    '@@ -1,4 +1,4 @@ @@ -17,4 +17,4 @@',
    '@@ -0,0 +1,2 @@',
    '@@ -1,2 +0,0 @@',
    '@@ -1,3 +1,4 @@',
    '@@ -13,8 +13,3 @@',
  ]);
});

it('texts that differ in thousands of lines are shown whole, with a head that fits', () => {
  const before = `same\n${lines(...Array.from({ length: 1_500 }, (_, index) => `old ${index}`))}`;
  const after = `same\n${lines(...Array.from({ length: 1_200 }, (_, index) => `new ${index}`))}`;
  const shown = unifiedDiff({ before, after }, { before: 'a', after: 'b' }).split('\n');
  expect(shown.slice(0, 4)).toEqual(['--- a', '+++ b', '@@ -1,1501 +1,1201 @@', '-same']);
  expect([shown.length, shown.at(-2)]).toEqual([3 + 1_501 + 1_201 + 1, '+line new 1199']);
});
