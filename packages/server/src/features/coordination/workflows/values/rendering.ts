import { Fault } from '../../../../base/index.ts';
import { isJsonMap, type JsonData } from '../../../../resources/index.ts';
import { type Path, parseExpressionText } from '../path-expressions.ts';

/** The values that expressions of a run read, by the first member of their paths. */
export interface Scope {
  readonly input: JsonData;
  readonly state: JsonData;
  readonly steps: Readonly<Record<string, JsonData>>;
  readonly run: Readonly<Record<string, JsonData>>;
}

/**
 * The bytes that the values of expressions may still take in what is rendered together. A short definition may name a large value
 * thousands of times; its literals are bounded with it.
 */
export class RenderingRoom {
  readonly #bytes: number;
  readonly #limit: string;
  #left: number;

  /** `limit` is the setting that says how many bytes. */
  constructor(bytes: number, limit: string) {
    this.#bytes = bytes;
    this.#limit = limit;
    this.#left = bytes;
  }

  /** The text itself; throws TOO_LARGE where it does not fit any more. */
  take(text: string): string {
    this.#left -= Buffer.byteLength(text);
    if (this.#left >= 0) return text;
    const problem = `the values of the expressions have more than ${this.#bytes} bytes (${this.#limit})`;
    throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', problem);
  }
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
export const renderText = (text: string, scope: Scope, room: RenderingRoom): JsonData => {
  const { parts } = parseExpressionText(text);
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'path' in only) {
    const value = valueAt(scope, only.path) ?? null;
    room.take(JSON.stringify(value));
    return value;
  }
  return parts
    .map((part) => ('literal' in part ? part.literal : room.take(embedded(valueAt(scope, part.path)))))
    .join('');
};

/** A text for people or models: a whole expression is embedded as well. */
export const renderPrompt = (text: string, scope: Scope, room: RenderingRoom): string =>
  embedded(renderText(text, scope, room));

/** Strings as they are, nothing for null and for what is missing, compact JSON for all else. */
const embedded = (value: JsonData | undefined): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** A JSON value with the expressions in its string values replaced; keys hold none. */
export const renderJson = (value: JsonData, scope: Scope, room: RenderingRoom): JsonData => {
  if (typeof value === 'string') return renderText(value, scope, room);
  if (Array.isArray(value)) return value.map((item: JsonData) => renderJson(item, scope, room));
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderJson(item, scope, room)]));
};
