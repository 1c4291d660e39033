import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadSources } from '../source-files.ts';
import { kindListsOf, knownKindLists } from './kind-lists.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const path = 'packages/server/src/features/any.ts';

describe('what is known of kinds', () => {
  const lists = loadSources(root).flatMap((source) => kindListsOf(source).map((text) => ({ path: source.path, text })));

  it('is in the table of kinds, and in no further list', () => {
    const known = new Set(knownKindLists.map((entry) => entry.path));
    expect(lists.filter((list) => !known.has(list.path)).map(({ text }) => text)).toEqual([]);
  });

  it('is excused nowhere without need', () => {
    const found = new Set(lists.map((list) => list.path));
    expect(knownKindLists.filter((entry) => !found.has(entry.path))).toEqual([]);
  });
});

describe('a list of kinds', () => {
  it.each([
    ["const order = ['Namespace', 'Secret', 'Template', 'Skill'];"],
    ["const words = { Namespace: 'ns', Agent: 1, Template: [1], 'Skill': {} };"],
    ["const names = new Set([\n  'Agent',\n  'Channel',\n  'Workflow', // last\n  'Task',\n]);"],
  ])('is found in %s', (text) => {
    expect(kindListsOf({ path, text })).toHaveLength(1);
  });

  it.each([
    ["const some = ['Namespace', 'Secret', 'Template'];"],
    ["const texts = ['namespace', 'secret', 'Template', 'Skill', 'no Agent'];"],
    ['const { Namespace, Secret, Template, Skill } = types;'],
    ["// ['Namespace', 'Secret', 'Template', 'Skill']"],
  ])('is not found in %s', (text) => {
    expect(kindListsOf({ path, text })).toEqual([]);
  });

  it('is no matter of tests and of other packages', () => {
    const text = "const order = ['Namespace', 'Secret', 'Template', 'Skill'];";
    expect(kindListsOf({ path: 'packages/server/src/app/any.test.ts', text })).toEqual([]);
    expect(kindListsOf({ path: 'packages/api/src/kinds.ts', text })).toEqual([]);
  });
});
