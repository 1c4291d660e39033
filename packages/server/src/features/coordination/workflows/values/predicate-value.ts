import { canonicalJson, isJsonMap, type JsonData, type JsonMap } from '../../../../resources/index.ts';
import { parsePath } from '../path-expressions.ts';
import { type Scope, valueAt } from './rendering.ts';

/** A comparison by size that met something else than two numbers. */
export class PredicateTypeError extends Error {}

/** Whether a predicate holds; it was checked when its workflow was written. Throws PredicateTypeError. */
export const holds = (predicate: JsonData, scope: Scope): boolean => {
  if (!isJsonMap(predicate)) return false;
  const { all, any, not } = predicate;
  if (Array.isArray(all)) return all.every((part: JsonData) => holds(part, scope));
  if (Array.isArray(any)) return any.some((part: JsonData) => holds(part, scope));
  return not === undefined ? leafHolds(predicate, scope) : !holds(not, scope);
};

const leafHolds = ({ path: text, ...comparators }: JsonMap, scope: Scope): boolean => {
  const [name = '', operand = null] = Object.entries(comparators)[0] ?? [];
  const value = valueAt(scope, parsePath(String(text)) ?? []);
  if (name === 'exists') return (value !== undefined) === operand;
  // No comparison holds of a value that is missing, not even that it differs.
  if (value === undefined) return false;
  return compare(name, value, operand);
};

const compare = (name: string, value: JsonData, operand: JsonData): boolean => {
  switch (name) {
    case 'equals':
      return sameAs(operand)(value);
    case 'notEquals':
      return !sameAs(operand)(value);
    case 'in':
      return Array.isArray(operand) && operand.some(sameAs(value));
    case 'contains':
      return contains(value, operand);
    default:
      return isOrdered(name, value, operand);
  }
};

/** Deep equality; numbers by their value, members of objects in any order. The value is written out once, however many it is compared with. */
const sameAs = (value: JsonData): ((other: JsonData) => boolean) => {
  const text = canonicalJson(value);
  return (other) => canonicalJson(other) === text;
};

const contains = (value: JsonData, operand: JsonData): boolean => {
  if (typeof value === 'string') return typeof operand === 'string' && value.includes(operand);
  return Array.isArray(value) && value.some(sameAs(operand));
};

const isOrdered = (name: string, value: JsonData, operand: JsonData): boolean => {
  if (typeof value !== 'number' || typeof operand !== 'number')
    throw new PredicateTypeError(`${name} compares numbers, not ${JSON.stringify(value).slice(0, 80)}`);
  if (name === 'gt') return value > operand;
  if (name === 'gte') return value >= operand;
  return name === 'lt' ? value < operand : value <= operand;
};
