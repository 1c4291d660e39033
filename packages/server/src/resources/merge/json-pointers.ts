import { isJsonMap, type JsonData, type JsonMap } from '../canonical-json.ts';

/** JSON pointers (RFC 6901) into the written form of a resource: `metadata.labels`, `metadata.annotations`, `spec`. */

/** Parts that every resource has. */
const PARTS: ReadonlySet<string> = new Set(['/metadata', '/metadata/labels', '/metadata/annotations', '/spec']);

/** Leaves by pointer; an empty map is one, an array too. */
export const leavesOf = (map: JsonMap, at = ''): ReadonlyMap<string, JsonData> => {
  const found = new Map<string, JsonData>();
  for (const [name, value] of Object.entries(map)) {
    const pointer = `${at}/${pointerPart(name)}`;
    if (!isJsonMap(value)) found.set(pointer, value);
    else if (Object.keys(value).length > 0)
      for (const [below, leaf] of leavesOf(value, pointer)) found.set(below, leaf);
    else if (!PARTS.has(pointer)) found.set(pointer, value);
  }
  return found;
};

/** One member name as a segment of a pointer. */
export const pointerPart = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Member names of a pointer. */
export const pointerParts = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

/** A field path of a fault, such as `spec.a.b[0]` or `metadata.labels[a.b/c]`, as a pointer. */
export const fieldPointer = (field: string): string =>
  [...field.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([whole, inside]) => `/${pointerPart(inside ?? whole)}`).join('');

/** The value at a pointer, undefined where there is none. */
export const readAt = (map: JsonMap, pointer: string): JsonData | undefined =>
  pointerParts(pointer).reduce<JsonData | undefined>(
    (value, name) => (isJsonMap(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    map,
  );

/** The map with a value set at a pointer; null removes it, and maps that are empty after it. */
export const setAt = (map: JsonMap, pointer: string, value: JsonData): JsonMap =>
  setInside(map, pointerParts(pointer), value);

const setInside = (map: JsonMap, [name = '', ...rest]: readonly string[], value: JsonData): JsonMap => {
  const before = Object.hasOwn(map, name) ? map[name] : undefined;
  const next = rest.length === 0 ? value : setInside(isJsonMap(before) ? before : {}, rest, value);
  const others = Object.fromEntries(Object.entries(map).filter(([other]) => other !== name));
  const isGone = next === null || (value === null && isJsonMap(next) && Object.keys(next).length === 0);
  return isGone ? others : { ...others, [name]: next };
};
