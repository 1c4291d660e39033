import { describe, expect, it } from 'vitest';
import { chooseBase, type Git } from './breaking-base.ts';

/** A git that knows only the given answers; everything else is refused. */
function gitAnswering(answers: Readonly<Record<string, string>>): Git {
  return (...parameters) => answers[parameters.join(' ')];
}

const head = { 'rev-parse HEAD': 'cccc' };
const previous = { 'rev-parse --verify --quiet HEAD~1': 'bbbb' };
const hasContract = (commit: string) => ({ [`cat-file -e ${commit}:buf.yaml`]: '' });

describe('chooseBase', () => {
  it('takes the fork point on a branch', () => {
    const git = gitAnswering({ ...head, ...previous, ...hasContract('aaaa'), 'merge-base HEAD main': 'aaaa' });
    expect(chooseBase(git)).toEqual({ commit: 'aaaa' });
  });

  it('takes the previous commit on main', () => {
    const git = gitAnswering({ ...head, ...previous, ...hasContract('bbbb'), 'merge-base HEAD main': 'cccc' });
    expect(chooseBase(git)).toEqual({ commit: 'bbbb' });
  });

  it('says why there is nothing to compare with', () => {
    expect(chooseBase(gitAnswering({}))).toEqual({ reason: 'no git history here' });
    expect(chooseBase(gitAnswering(head))).toEqual({ reason: 'HEAD has no previous commit in this clone' });
    expect(chooseBase(gitAnswering({ ...head, ...previous }))).toEqual({ reason: 'commit bbbb has no contract yet' });
  });
});
