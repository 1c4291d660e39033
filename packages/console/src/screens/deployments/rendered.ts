import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

const isMap = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The part of a live value that a rendered one speaks of: fields that the rendering does not name belong to others and are left
 * out, so that a comparison shows only what somebody changed.
 */
export const spokenOf = (live: JsonValue | undefined, rendered: JsonValue): JsonValue | undefined => {
  if (!isMap(live) || !isMap(rendered)) return live;
  return Object.fromEntries(
    Object.entries(rendered).flatMap(([name, value]): readonly (readonly [string, JsonValue])[] => {
      const found = spokenOf(live[name], value);
      return found === undefined ? [] : [[name, found]];
    }),
  );
};
