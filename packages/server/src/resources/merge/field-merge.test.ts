import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonData, type JsonMap } from '../canonical-json.ts';
import { applyRank } from '../manifest/index.ts';
import { nearestName } from '../manifest/nearest-name.ts';
import { type MergeInput, mergeFields, type Ownership, ownershipAfter } from './index.ts';
import { leavesOf } from './json-pointers.ts';

const digest = (pointer: string, value: JsonData): string => `${pointer}=${canonicalJson(value)}`;

type Place = 'leaf' | 'array' | 'label';
const at: Readonly<Record<Place, { readonly pointer: string; readonly values: readonly JsonData[] }>> = {
  leaf: { pointer: '/spec/a/b', values: ['v', 'w', 'x'] },
  array: { pointer: '/spec/list', values: [['v'], ['w'], [{ x: 1 }]] },
  label: { pointer: '/metadata/labels/k~1y', values: ['v', 'w', 'x'] },
};
const valueAt = (place: Place, letter: string): JsonData | undefined => {
  const index = ['v', 'w', 'x'].indexOf(letter);
  return index < 0 ? undefined : at[place].values[index];
};
/** A resource with the value at its place, and a neighbour that nobody touches. */
const resource = (place: Place, letter: string): JsonMap => {
  const value = valueAt(place, letter);
  const spec = {
    other: 1,
    ...(place === 'leaf' && value !== undefined ? { a: { b: value } } : {}),
    ...(place === 'array' && value !== undefined ? { list: value } : {}),
  };
  const labels = { ...(place === 'label' && value !== undefined ? { 'k/y': value } : {}) };
  return { metadata: { labels, annotations: {} }, spec };
};
const wanted = (place: Place, letter: string): JsonMap => {
  const { metadata, spec } = resource(place, letter);
  const { other: _, ...rest } = spec as JsonMap;
  return { metadata: metadata ?? {}, spec: rest };
};
const owns = (place: Place, letter: string, more: object = {}) => {
  const { pointer } = at[place];
  const text = digest(pointer, valueAt(place, letter) ?? null);
  return { [pointer]: { said: text, stored: text, ...more } };
};

interface Row {
  readonly b: string;
  readonly d: string;
  readonly l: string;
  readonly other?: string;
  readonly taken?: boolean;
  readonly force?: boolean;
  readonly deployment?: boolean;
}

const merge = (place: Place, row: Row) => {
  const ownership: Ownership = {
    ...(row.b === '-' ? {} : { me: owns(place, row.b, row.taken === true ? { isTaken: true } : {}) }),
    ...(row.other === undefined ? {} : { other: owns(place, row.other) }),
  };
  const input: MergeInput = {
    manager: 'me',
    wanted: wanted(place, row.d),
    live: resource(place, row.l),
    ownership,
    force: row.force === true,
    setsUnowned: row.deployment !== true,
    digest,
  };
  return { input, result: mergeFields(input) };
};

describe.each<Place>(['leaf', 'array', 'label'])('the table of merges, for a %s', (place) => {
  it.each<readonly [string, Row, ...(readonly [string, string])]>([
    ['sets and owns what is absent', { b: '-', d: 'v', l: '-' }, 'v', 'changed'],
    ['sets what is absent for deployments too', { b: '-', d: 'v', l: '-', deployment: true }, 'v', 'changed'],
    ['shares what is the same already', { b: '-', d: 'v', l: 'v', other: 'v' }, 'v', ''],
    ['meets what another manager owns', { b: '-', d: 'v', l: 'w', other: 'w' }, 'w', 'conflict other'],
    ['takes over by force', { b: '-', d: 'v', l: 'w', other: 'w', force: true }, 'v', 'changed taken'],
    ['sets what nobody owns', { b: '-', d: 'v', l: 'w' }, 'v', 'changed'],
    ['meets, as a deployment, what nobody owns', { b: '-', d: 'v', l: 'w', deployment: true }, 'w', 'conflict '],
    ['leaves what is as it was', { b: 'v', d: 'v', l: 'v' }, 'v', ''],
    ['sets back what others changed', { b: 'v', d: 'v', l: 'w' }, 'v', 'repaired'],
    ['sets back what others removed', { b: 'v', d: 'v', l: '-' }, 'v', 'repaired'],
    ['changes its own value', { b: 'v', d: 'x', l: 'v' }, 'x', 'changed'],
    ['changes its own value over the change of others', { b: 'v', d: 'x', l: 'w' }, 'x', 'changed'],
    ['meets a manager who shares the field', { b: 'v', d: 'x', l: 'v', other: 'v' }, 'v', 'conflict other'],
    ['takes a shared field by force', { b: 'v', d: 'x', l: 'v', other: 'v', force: true }, 'x', 'changed taken'],
    ['removes what it no longer wants', { b: 'v', d: '-', l: 'v' }, '-', 'changed'],
    ['keeps what it no longer wants but others changed', { b: 'v', d: '-', l: 'w' }, 'w', ''],
    ['keeps what it no longer wants but another owns', { b: 'v', d: '-', l: 'v', other: 'v' }, 'v', ''],
    ['lets go of what is gone', { b: 'v', d: '-', l: '-' }, '-', ''],
    ['meets what was taken from it', { b: 'v', d: 'v', l: 'w', other: 'w', taken: true }, 'w', 'conflict other'],
    ['meets what was taken and then let go', { b: 'v', d: 'x', l: 'w', taken: true }, 'w', 'conflict '],
    ['lets go of what was taken', { b: 'v', d: '-', l: 'w', other: 'w', taken: true }, 'w', ''],
    ['does not remove what was taken and let go', { b: 'v', d: '-', l: 'v', taken: true }, 'v', ''],
    ['takes back by force', { b: 'v', d: 'v', l: 'w', other: 'w', taken: true, force: true }, 'v', 'changed taken'],
  ])('%s', (...[, row, live, outcome]) => {
    const { input, result } = merge(place, row);
    expect([...leavesOf(result.merged)].sort()).toEqual([...leavesOf(resource(place, live))].sort());
    const { pointer } = at[place];
    const said = [
      ...result.conflicts.map((conflict) => `conflict ${conflict.manager}`),
      ...result.repaired.map(() => 'repaired'),
      ...result.changed.map(() => 'changed'),
      ...result.taken.map(() => 'taken'),
    ];
    expect(said.join(' ')).toBe(outcome);
    const after = ownershipAfter(input, result, result.merged);
    const value = valueAt(place, row.d);
    const text = digest(pointer, value ?? null);
    expect(after['me']).toEqual(
      value === undefined || outcome.startsWith('conflict')
        ? undefined
        : { [pointer]: { said: text, stored: digest(pointer, valueAt(place, live) ?? null) } },
    );
    if (row.other !== undefined) expect(after['other']?.[pointer]?.isTaken === true).toBe(outcome.includes('taken'));
  });
});

describe('a merge', () => {
  const base = { manager: 'me', ownership: {}, force: false, setsUnowned: true, digest };

  it('repeats nothing when the kind stores another form than was said', () => {
    const input = { ...base, wanted: { spec: { a: 'Mention' } }, live: {} };
    const first = mergeFields(input);
    const ownership = ownershipAfter(input, first, { spec: { a: 'mention' } });
    const again = mergeFields({ ...input, live: { spec: { a: 'mention' } }, ownership });
    expect([again.merged, again.repaired, again.changed]).toEqual([{ spec: { a: 'mention' } }, [], []]);
    const gone = mergeFields({ ...input, wanted: {}, live: { spec: { a: 'mention' } }, ownership });
    expect(gone.merged).toEqual({});
  });

  it('counts a default as a value that is stored as nothing', () => {
    const wantedNull = { ...base, wanted: { spec: { a: null } } };
    expect(mergeFields({ ...wantedNull, live: { spec: {} } }).changed).toEqual([]);
    expect(mergeFields({ ...wantedNull, live: { spec: { a: true } } }).merged).toEqual({});
  });

  it('leaves managers of other fields alone, and orders them by name', () => {
    const foreign = { '/spec/z': { said: 's', stored: 's' } };
    const input = {
      ...base,
      wanted: { spec: { a: null } },
      live: { spec: {} },
      ownership: { zoe: foreign, abe: foreign },
    };
    const after = ownershipAfter(input, mergeFields(input), { spec: {} });
    expect(Object.keys(after)).toEqual(['abe', 'me', 'zoe']);
    expect(after['zoe']).toEqual(foreign);
  });

  it('keeps an empty map as a sign that something is there', () => {
    const input = { ...base, wanted: { spec: { a: {} } } };
    expect(mergeFields({ ...input, live: { spec: { a: { b: 1 } } } }).merged).toEqual({ spec: { a: { b: 1 } } });
    expect(mergeFields({ ...input, live: { spec: {} } }).merged).toEqual({ spec: { a: {} } });
  });

  it('puts a map where a single value was', () => {
    const input = { ...base, wanted: { spec: { a: { b: 1 } } }, live: { spec: { a: 7 } } };
    expect(mergeFields(input).merged).toEqual({ spec: { a: { b: 1 } } });
  });
});

describe('a field that changes between a map and something else', () => {
  const specs: readonly (readonly [string, JsonData])[] = [
    ['a map', { x: 1, y: { z: 2 } }],
    ['a value', 7],
    ['a list', [{ x: 1 }]],
    ['an empty map', {}],
  ];
  const pairs = specs.flatMap(([from, before]) =>
    specs.filter(([to]) => to !== from).map(([to, after]) => [from, to, before, after] as const),
  );
  /** What a manager leaves behind who applied that alone. */
  const applied = (manager: string, m: JsonData) => {
    const input = {
      manager,
      ownership: {},
      force: false,
      setsUnowned: true,
      digest,
      live: {},
      wanted: { spec: { m } },
    };
    const result = mergeFields(input);
    return { live: result.merged, ownership: ownershipAfter(input, result, result.merged) };
  };
  const rules = { force: false, setsUnowned: true, digest };

  const sayings = pairs.flatMap((pair) => [true, false].map((setsUnowned) => [...pair, setsUnowned] as const));
  it.each(sayings)('from %s to %s is what its manager says', (...[, to, before, after, setsUnowned]) => {
    const start = { ...applied('me', before), manager: 'me', wanted: { spec: { m: after } } };
    const input = { ...rules, setsUnowned, ...start };
    const result = mergeFields(input);
    expect([result.merged, result.conflicts]).toEqual([{ spec: { m: after } }, []]);
    const again = { ...input, live: result.merged, ownership: ownershipAfter(input, result, result.merged) };
    expect([to, mergeFields(again).changed]).toEqual([to, []]);
  });

  const isEmpty = (value: JsonData): boolean => canonicalJson(value) === '{}';
  it.each(pairs)('from %s to %s meets its manager, and is taken by force', (...[, , before, after]) => {
    const start = { ...rules, ...applied('other', before), manager: 'me', wanted: { spec: { m: after } } };
    const met = mergeFields(start);
    const areBoth = [before, after].every((value) => canonicalJson(value).startsWith('{'));
    expect(met.conflicts.map(({ manager }) => manager)).toEqual(areBoth ? [] : met.conflicts.map(() => 'other'));
    expect(met.conflicts.length > 0).toBe(!areBoth);
    expect(areBoth || met.merged).toEqual(areBoth || start.live);
    const input = { ...start, force: true };
    const result = mergeFields(input);
    expect(result.merged).toEqual({ spec: { m: isEmpty(after) && areBoth ? before : after } });
    const ownership = ownershipAfter(input, result, result.merged);
    const back = mergeFields({
      ...rules,
      live: result.merged,
      ownership,
      manager: 'other',
      wanted: { spec: { m: before } },
    });
    expect([back.merged, back.conflicts.length > 0]).toEqual([result.merged, !areBoth]);
  });
});

it('kinds are applied by rank, custom ones last', () => {
  expect(applyRank('Namespace')).toBeLessThan(applyRank('Agent'));
  expect(applyRank('Widget')).toBeGreaterThan(applyRank('Task'));
});

it('advice names only near words', () => {
  expect(nearestName('titel', ['title', 'metadata'])).toBe('title');
  expect(nearestName('xy', ['title', 'ab'])).toBeUndefined();
});
