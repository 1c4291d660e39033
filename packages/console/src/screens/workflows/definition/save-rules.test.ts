import { ApplyOutcome } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { obstacleOf, withVersion } from './save-rules.ts';

const state = {
  isSame: false,
  isNew: false,
  isNewer: false,
  hasFailed: false,
  said: { errors: [], outcome: ApplyOutcome.UPDATED },
};

describe('obstacleOf', () => {
  it('lets a change of the stored one be saved', () => {
    expect(obstacleOf(state)).toBeUndefined();
    expect(obstacleOf({ ...state, isSame: true })).toBe('Nothing was changed.');
  });

  it('does not let a new one replace one that exists', () => {
    const taken = 'There is already one of this name; open it to change it.';
    expect(obstacleOf({ ...state, isNew: true })).toBe(taken);
    expect(obstacleOf({ ...state, isNew: true, said: { errors: [], outcome: ApplyOutcome.UNCHANGED } })).toBe(taken);
    expect(obstacleOf({ ...state, isNew: true, said: { errors: [], outcome: ApplyOutcome.CREATED } })).toBeUndefined();
  });

  it('does not let it replace a newer one', () => {
    expect(obstacleOf({ ...state, isNewer: true })).toBe('Someone else saved this workflow meanwhile.');
  });

  it('waits for the check; a check that failed stops only a new one', () => {
    expect(obstacleOf({ ...state, said: undefined })).toBe('The server is checking the text.');
    expect(obstacleOf({ ...state, said: undefined, hasFailed: true })).toBeUndefined();
    expect(obstacleOf({ ...state, said: undefined, hasFailed: true, isNew: true })).toBe(
      'The server could not check the text.',
    );
  });
});

describe('withVersion', () => {
  it('names the version that must still be stored, and keeps comments and long lines', () => {
    const long = 'word '.repeat(40).trim();
    expect(withVersion(`# mine\nkind: Workflow\nmetadata:\n  name: a\nspec:\n  description: ${long}\n`, '41')).toBe(
      `# mine\nkind: Workflow\nmetadata:\n  name: a\n  resourceVersion: "41"\nspec:\n  description: ${long}\n`,
    );
  });

  it('replaces a version that was written, in the first resource only', () => {
    expect(withVersion('metadata:\n  resourceVersion: "1"\n---\nmetadata:\n  name: b\n', '41')).toBe(
      'metadata:\n  resourceVersion: "41"\n---\nmetadata:\n  name: b\n',
    );
  });

  it('leaves a new one and what is no manifest as they are', () => {
    for (const text of ['', 'metadata: [', 'just words', 'metadata: words', 'kind: Workflow\n'])
      expect(withVersion(text, '41')).toBe(text);
    expect(withVersion('metadata: {name: a}', '')).toBe('metadata: {name: a}');
  });
});
