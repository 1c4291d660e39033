import { describe, expect, it } from 'vitest';
import { movedOn } from './text-draft.ts';

const draft = { text: 'mine', base: 'old', version: '1', sent: undefined };

describe('movedOn', () => {
  it('keeps its version when somebody else changed the text', () => {
    expect(movedOn(draft, { text: 'theirs', version: '2' })).toBe(draft);
  });

  it('follows the own save while more is written', () => {
    expect(movedOn({ ...draft, text: 'mine, more', sent: 'mine' }, { text: 'mine', version: '2' })).toEqual({
      text: 'mine, more',
      base: 'mine',
      version: '2',
      sent: 'mine',
    });
  });

  it('follows a write that left the text as it was', () => {
    expect(movedOn(draft, { text: 'old', version: '2' })).toEqual({ ...draft, version: '2' });
    expect(movedOn(draft, { text: 'old', version: '1' })).toBe(draft);
  });

  it('ends when it is what is stored', () => {
    expect(movedOn(draft, { text: 'mine', version: '2' })).toBeUndefined();
  });
});
