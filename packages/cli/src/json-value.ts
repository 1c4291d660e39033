import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** True for objects; lists are values. */
export const isMap = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object itself, or an empty one for anything else: what a server leaves out reads as empty. */
export const mapOf = (value: JsonValue | undefined): JsonObject => (isMap(value) ? value : {});

/** The objects of a list; none for anything else. */
export const mapsOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isMap) : [];

/** A text, or a number as a text: 64-bit integers come as texts; '' for anything else. */
export const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Milliseconds of Unix microseconds in JSON; 0 when there are none. */
export const msOf = (value: JsonValue | undefined): number => Number(textOf(value)) / 1_000;
