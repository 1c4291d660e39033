import { describe, expect, it } from 'vitest';
import {
  choiceFor,
  decisionOf,
  harnessProgram,
  isAllowing,
  linesOf,
  policyKeyOf,
  workFolder,
} from './harness-rules.ts';

const choice = (kind: string) => ({ id: kind, name: kind, kind });

describe('the permission policy', () => {
  it.each([
    ['read', 'filesystemRead'],
    ['search', 'filesystemRead'],
    ['edit', 'filesystemWrite'],
    ['delete', 'filesystemWrite'],
    ['move', 'filesystemWrite'],
    ['execute', 'terminal'],
    ['think', 'default'],
    ['constructor', 'default'],
  ])('judges a tool that does %s by %s', (kind, key) => expect(policyKeyOf(kind)).toBe(key));

  it('says what the entry says, else default, else ask', () => {
    expect(decisionOf({ terminal: 'deny', default: 'allow' }, 'terminal')).toBe('deny');
    expect(decisionOf({ default: 'allow' }, 'terminal')).toBe('allow');
    expect(decisionOf({}, 'terminal')).toBe('ask');
  });

  it('chooses once before always, and nothing that is not offered', () => {
    const all = ['allow_always', 'reject_always', 'allow_once', 'reject_once'].map(choice);
    expect(choiceFor('allow', all)?.id).toBe('allow_once');
    expect(choiceFor('allow', all.slice(0, 2))?.id).toBe('allow_always');
    expect(choiceFor('deny', all.slice(0, 2))?.id).toBe('reject_always');
    expect(choiceFor('deny', [choice('allow_once')])).toBeUndefined();
    expect(all.map(isAllowing)).toEqual([true, false, true, false]);
  });
});

describe('the program of a harness', () => {
  const asked = (change: object) => ({ harnessRef: '', command: '', args: [], env: {}, ...change });
  const configured = { own: { command: 'own', args: ['serve'], env: { A: '1', B: '1' } }, bare: { command: 'bare' } };

  it.each([
    [{ harnessRef: 'own' }, { command: 'own', args: ['serve'], env: { A: '1', B: '1' } }],
    [
      { harnessRef: 'own', env: { B: '2' } },
      { command: 'own', args: ['serve'], env: { A: '1', B: '2' } },
    ],
    [
      { harnessRef: 'own', args: ['other'] },
      { command: 'own', args: ['other'], env: { A: '1', B: '1' } },
    ],
    [
      { harnessRef: 'own', command: 'mine' },
      { command: 'mine', args: [], env: { A: '1', B: '1' } },
    ],
    [
      { harnessRef: 'own', command: 'own' },
      { command: 'own', args: ['serve'], env: { A: '1', B: '1' } },
    ],
    [{ harnessRef: 'bare' }, { command: 'bare', args: [], env: {} }],
    [{ harnessRef: 'goose' }, { command: 'goose', args: ['acp'], env: {} }],
    [
      { command: 'mine', args: ['x'] },
      { command: 'mine', args: ['x'], env: {} },
    ],
    [{ harnessRef: 'nobody', command: 'mine' }, undefined],
    [{ harnessRef: 'toString' }, undefined],
    [{}, undefined],
  ])('%j is %j', (change, program) => expect(harnessProgram(asked(change), configured)).toEqual(program));

  it('of an entry without a command is none that can be started', () => {
    expect(harnessProgram(asked({ harnessRef: 'x' }), { x: { command: undefined } })?.command).toBe('');
  });
});

it.each([
  ['', '/workspace'],
  ['/workspace/app', '/workspace/app'],
  ['/data', '/data'],
  ['/workspaces', undefined],
  ['/workspace/../etc', undefined],
  ['workspace', undefined],
])('a harness may work in %j: %j', (cwd, folder) =>
  expect(workFolder(cwd, { mountPath: '/workspace', writable: ['/data'] })).toBe(folder),
);

it.each([
  [1, Number.POSITIVE_INFINITY, 'a\nb\nc'],
  [2, Number.POSITIVE_INFINITY, 'b\nc'],
  [2, 1, 'b'],
  [0, 2, 'a\nb'],
])('lines from %d, at most %d', (line, limit, text) => expect(linesOf('a\nb\nc', line, limit)).toBe(text));
