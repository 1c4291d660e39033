import { expect, it } from 'vitest';
import { findTestTitles } from './test-titles.ts';

it('finds the titles of tests, whatever their members take first', () => {
  const source = `
    it('is plain', () => {});
    test("is quoted twice", async () => {});
    it('has its options', { timeout: 1 }, () => {});
    it.each(['a', 'b'])('runs for %s', () => {});
    it.each([['x (', 1]] as const)('runs for $name', () => {});
    it.each<readonly [string, () => void]>([])('has a type', () => {});
    it.skipIf('x' in y)('may be skipped', () => {});
    it.${'skip'}('is skipped', () => {});
    it(
      'stands on a line of its own',
      () => {},
    );
    it('it\\'s its own \\u{2192} sign', () => {});
  `;
  expect(findTestTitles(source)).toEqual([
    ...['is plain', 'is quoted twice', 'has its options', 'runs for %s', 'runs for $name', 'has a type'],
    ...['may be skipped', 'is skipped', 'stands on a line of its own', "it's its own → sign"],
  ]);
});

it('takes no other text for a title', () => {
  const source = `
    // it('is a comment', () => {});
    describe('is a group', () => {});
    const text = "it('is a string', () => {})";
    split('is an argument of another function');
    form.it('is a method');
    it(title, () => expect('is an expectation').toBe(''));
    it(\`is a \${kind}\`, () => {});
  `;
  expect(findTestTitles(source)).toEqual([]);
});
