import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

export const isMap = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value where it is an object, else an empty one. */
export const mapOf = (value: unknown): JsonObject => (isMap(value) ? value : {});

/** Equal as JSON, in any order of members. */
export const isSameJson = (left: JsonValue | undefined, right: JsonValue | undefined): boolean => {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isSameJson(item, right[index]));
  if (!isMap(left) || !isMap(right)) return left === right;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => isSameJson(left[name], right[name]));
};
