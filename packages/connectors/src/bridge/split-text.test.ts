import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitText } from './split-text.ts';

it('leaves short texts and no text as one part', () => {
  expect([splitText('hello', 100), splitText('', 100)]).toEqual([['hello'], ['']]);
});

it('cuts between paragraphs, else lines, else words', () => {
  expect(splitText(`${'a'.repeat(40)}\n\n${'b'.repeat(40)}`, 60)).toEqual(['a'.repeat(40), 'b'.repeat(40)]);
  expect(splitText(`${'a'.repeat(40)} ${'b'.repeat(40)}`, 60)).toEqual(['a'.repeat(40), 'b'.repeat(40)]);
});

it('closes a code block that it cuts and opens it again', () => {
  const parts = splitText(`\`\`\`\n${'line of code\n'.repeat(10)}\`\`\``, 80);
  for (const part of parts) expect(part).toMatch(/^```[\s\S]*```$/);
});

it('keeps every word in order, within the limit, and no half characters', () => {
  const texts = fc.array(fc.constantFrom('word', '\n\n', '\n', ' ', '😀', 'x'.repeat(70)), { maxLength: 80 });
  fc.assert(
    fc.property(texts, (pieces) => {
      const text = pieces.join('').trim();
      const parts = splitText(text, 64);
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(64);
        expect(part.isWellFormed()).toBe(true);
      }
      expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
    }),
    { numRuns: 200 },
  );
});
