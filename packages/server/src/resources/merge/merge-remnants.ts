import { canonicalJson, isJsonMap, type JsonMap } from '../canonical-json.ts';
import type { MergeInput, MergeResult } from './field-merge.ts';
import { leavesOf, pointerPart, pointerParts, readAt, setAt } from './json-pointers.ts';

/** `/spec/auth`: what may go as a whole lies below a part of the resource. */
const LEAST_PARTS = 2;

/**
 * A merge without what the removal of a manager's fields left of their message: values that only the defaults of the kind had put
 * next to them. `filled` is a spec with the defaults of its kind. Never changes its arguments.
 */
export const withoutRemnants = (
  input: MergeInput,
  { merged }: MergeResult,
  filled: (spec: JsonMap) => JsonMap,
): JsonMap => {
  const wanted = leavesOf(input.wanted);
  const others = Object.entries(input.ownership).flatMap(([manager, fields]) =>
    manager === input.manager ? [] : Object.keys(fields).filter((pointer) => fields[pointer]?.isTaken !== true),
  );
  const spoken = [...wanted.keys(), ...others];
  const gone = Object.keys(input.ownership[input.manager] ?? {}).filter(
    (pointer) => pointer.startsWith('/spec/') && !wanted.has(pointer) && readAt(merged, pointer) === undefined,
  );
  const isSpokenOf = (around: string): boolean =>
    spoken.some((pointer) => pointer === around || pointer.startsWith(`${around}/`));
  return [...new Set(gone.flatMap(around))]
    .filter((pointer) => !isSpokenOf(pointer))
    .reduce((map, pointer) => (isRemnant(map, pointer, filled) ? setAt(map, pointer, null) : map), merged);
};

/** The pointers of the messages around one, the outermost first. */
const around = (pointer: string): readonly string[] => {
  const parts = pointerParts(pointer).map(pointerPart);
  return parts.slice(LEAST_PARTS).map((_part, index) => `/${parts.slice(0, LEAST_PARTS + index).join('/')}`);
};

/** True for a message that holds nothing but what an empty one is filled with. */
const isRemnant = (map: JsonMap, pointer: string, filled: (spec: JsonMap) => JsonMap): boolean => {
  const left = readAt(map, pointer);
  if (!isJsonMap(left)) return false;
  const { spec } = setAt(map, pointer, {});
  const bare = readAt({ spec: filled(spec as JsonMap) }, pointer);
  return bare !== undefined && canonicalJson(bare) === canonicalJson(left);
};
