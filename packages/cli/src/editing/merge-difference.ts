import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isMap } from '../json-value.ts';

/** Equal as JSON, in any order of members. */
export const isEqualJson = (left: JsonValue | undefined, right: JsonValue | undefined): boolean => {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isEqualJson(item, right[index]));
  if (!isMap(left) || !isMap(right)) return left === right;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => isEqualJson(left[name], right[name]));
};

/** The merge patch (RFC 7396) that turns `before` into `after`; lists are replaced whole, null removes. */
export const mergeDifference = (before: JsonObject, after: JsonObject): JsonObject => {
  const removed = Object.keys(before).filter((name) => after[name] === undefined);
  const changed = Object.entries(after).flatMap(([name, value]): [string, JsonValue][] => {
    const former = before[name];
    if (value === undefined || isEqualJson(former, value)) return [];
    return [[name, isMap(former) && isMap(value) ? mergeDifference(former, value) : value]];
  });
  return { ...Object.fromEntries(removed.map((name) => [name, null])), ...Object.fromEntries(changed) };
};

/** Paths of the leaves of a merge patch, such as `spec.systemPrompt`. */
export const patchedPaths = (patch: JsonObject, prefix = ''): readonly string[] =>
  Object.entries(patch).flatMap(([name, value]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    return isMap(value) && Object.keys(value).length > 0 ? patchedPaths(value, path) : [path];
  });
