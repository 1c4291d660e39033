import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isMap, isSameJson } from '../manifest/index.ts';

/** One place of a manifest that was changed since both sides read it. */
export interface ThreeWayChange {
  /** Such as `spec.systemPrompt`; lists are one place. */
  readonly path: string;
  /** Undefined where it is not there. */
  readonly mine: JsonValue | undefined;
  readonly theirs: JsonValue | undefined;
  readonly by: 'me' | 'them' | 'both';
}

interface Sides {
  readonly base: JsonObject;
  readonly mine: JsonObject;
  readonly theirs: JsonObject;
}

/** What each side changed; equal changes of both do not count. */
export const changesOf = ({ base, mine, theirs }: Sides): readonly ThreeWayChange[] =>
  changesBelow({ base, mine, theirs }, []).map(({ keys, ...change }) => ({ path: pathText(keys), ...change }));

/** Theirs with my changes on it; where both changed the same, `keepsMine` decides by path. */
export const mergedOf = (sides: Sides, keepsMine: (path: string) => boolean): JsonObject => {
  let merged: JsonObject = sides.theirs;
  for (const { keys, mine, by } of changesBelow(sides, []))
    if (by === 'me' || (by === 'both' && keepsMine(pathText(keys)))) merged = withValue(merged, keys, mine);
  return merged;
};

interface KeyedChange extends Omit<ThreeWayChange, 'path'> {
  readonly keys: readonly string[];
}

const changesBelow = ({ base, mine, theirs }: Sides, keys: readonly string[]): readonly KeyedChange[] => {
  const names = new Set([...Object.keys(base), ...Object.keys(theirs), ...Object.keys(mine)]);
  return [...names].flatMap((name): readonly KeyedChange[] => {
    const values = [base[name], mine[name], theirs[name]] as const;
    const [was, is, others] = values;
    if (isSameJson(is, others)) return [];
    if (isMap(is) && isMap(others) && (was === undefined || isMap(was)))
      return changesBelow({ base: was ?? {}, mine: is, theirs: others }, [...keys, name]);
    const byMe = !isSameJson(was, is);
    const byThem = !isSameJson(was, others);
    return [{ keys: [...keys, name], mine: is, theirs: others, by: byMe && byThem ? 'both' : byMe ? 'me' : 'them' }];
  });
};

const pathText = (keys: readonly string[]): string =>
  keys.map((key, index) => (/[.[\]]/.test(key) ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`)).join('');

const withValue = (map: JsonObject, keys: readonly string[], value: JsonValue | undefined): JsonObject => {
  const [first = '', ...rest] = keys;
  if (rest.length > 0) {
    const inner = map[first];
    return { ...map, [first]: withValue(isMap(inner) ? inner : {}, rest, value) };
  }
  const { [first]: _before, ...others } = map;
  return value === undefined ? others : { ...map, [first]: value };
};
