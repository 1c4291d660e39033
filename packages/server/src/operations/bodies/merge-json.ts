import { Fault } from '../../base/index.ts';
import type { Json } from './body-form.ts';
import { isJsonObject } from './json-object.ts';

/** INVALID_ARGUMENT PATH_BODY_MISMATCH for one thing said twice with different values. */
export const saidTwice = (field: string): Fault => {
  const description = 'said twice with different values';
  return new Fault('INVALID_ARGUMENT', 'PATH_BODY_MISMATCH', `${field}: ${description}`, {
    violations: [{ field, description, reason: 'PATH_BODY_MISMATCH' }],
  });
};

const sameJson = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** Own members of `from` go into `into`; nested objects merge, null is absent, differing values are PATH_BODY_MISMATCH. */
export const mergeJson = (into: Json, from: Json, path: string): Json => {
  for (const key of Object.keys(from))
    mergeMember(into, key, { value: from[key], at: path === '' ? key : `${path}.${key}` });
  return into;
};

/** As mergeJson, for one member; `at` is where it stood. */
export const mergeMember = (into: Json, key: string, given: { readonly value: unknown; readonly at: string }): void => {
  const { value, at } = given;
  if (value === undefined || value === null) return;
  const known = Object.hasOwn(into, key) ? into[key] : undefined;
  if (known === undefined || known === null) {
    const copy = isJsonObject(value) ? { ...value } : value;
    Object.defineProperty(into, key, { value: copy, enumerable: true, writable: true, configurable: true });
  } else if (isJsonObject(known) && isJsonObject(value)) mergeJson(known, value, at);
  else if (!sameJson(known, value)) throw saidTwice(at);
};
