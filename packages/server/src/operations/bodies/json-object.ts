import type { Json } from './body-form.ts';

/** True for JSON objects; lists and null are values. */
export const isJsonObject = (json: unknown): json is Json =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** An object to copy members of a body to, whatever their names are: one without a prototype takes `__proto__` too. */
export const openJson = (): Json => Object.create(null) as Json;

/** The first value that is not left out under one of the names. */
export const firstDefined = (json: Json, names: readonly string[]): unknown =>
  names.map((name) => json[name]).find((value) => value !== undefined);
