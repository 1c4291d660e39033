import { isJsonMap, type JsonData } from '../../../../resources/index.ts';
import { type Path, parseExpressionText } from '../path-expressions.ts';

/** The values that expressions of a run read, by the first member of their paths. */
export interface Scope {
  readonly input: JsonData;
  readonly state: JsonData;
  readonly steps: Readonly<Record<string, JsonData>>;
  readonly run: Readonly<Record<string, JsonData>>;
}

/** The value at a path; undefined where there is none. A present null is a value. */
export const valueAt = (scope: Scope, path: Path): JsonData | undefined => {
  let value: JsonData | undefined = scope as unknown as JsonData;
  for (const member of path) {
    if (typeof member === 'number') value = Array.isArray(value) ? (value[member] as JsonData | undefined) : undefined;
    else value = isJsonMap(value) && Object.hasOwn(value, member) ? value[member] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
};

/** A text with its expressions replaced: a text that is one expression becomes its value, and null where it has none. */
export const renderText = (text: string, scope: Scope): JsonData => {
  const { parts } = parseExpressionText(text);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'path' in only) return valueAt(scope, only.path) ?? null;
  return parts.map((part) => ('literal' in part ? part.literal : embedded(valueAt(scope, part.path)))).join('');
};

/** A text for people or models: a whole expression is embedded as well. */
export const renderPrompt = (text: string, scope: Scope): string => embedded(renderText(text, scope));

/** Strings as they are, nothing for null and for what is missing, compact JSON for all else. */
const embedded = (value: JsonData | undefined): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** A JSON value with the expressions in its string values replaced; keys hold none. */
export const renderJson = (value: JsonData, scope: Scope): JsonData => {
  if (typeof value === 'string') return renderText(value, scope);
  if (Array.isArray(value)) return value.map((item: JsonData) => renderJson(item, scope));
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderJson(item, scope)]));
};
