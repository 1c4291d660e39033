import { describe, expect, it } from 'vitest';
import { documentPath, newPathObstacle } from './new-path.ts';

describe('documentPath', () => {
  it('leaves out spaces and slashes around a path, and keeps those inside', () => {
    expect(documentPath(' /guides/my returns.md/ ')).toBe('guides/my returns.md');
    expect(documentPath(' // ')).toBe('');
  });
});

describe('newPathObstacle', () => {
  it('refuses a path that a document has', () => {
    const taken = ['/guides/returns.md', 'faq.md'];
    expect(newPathObstacle('guides/returns.md', taken)).toBe('There is already a document with this path.');
    expect(newPathObstacle('faq.md', taken)).toBe('There is already a document with this path.');
    expect(newPathObstacle('returns.md', taken)).toBeUndefined();
  });

  it('asks for a path', () => {
    expect(newPathObstacle('', [])).toBe('Such as guides/returns.md');
  });
});
