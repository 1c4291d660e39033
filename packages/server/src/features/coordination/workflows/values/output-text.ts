import type { JsonData } from '../../../../resources/index.ts';
import { parsedJson } from '../json-schema.ts';

/** A JSON value found in a text, and whether it had to be searched for. */
export interface FoundJson {
  readonly json: JsonData;
  readonly isRepaired: boolean;
}

const FENCE = /```[^\n`]*\n([\s\S]*?)```/g;
/** Starts of objects and arrays that are tried in a text. */
const STARTS_MAX = 100;

/** The JSON of a text: the whole of it, else the first fenced block or balanced object or array in it that is JSON. */
export const jsonOfText = (text: string): FoundJson | undefined => {
  const whole = parsedJson(text);
  if (whole !== undefined) return { json: whole.json, isRepaired: false };
  for (const candidate of candidates(text)) {
    const found = parsedJson(candidate);
    if (found !== undefined) return { json: found.json, isRepaired: true };
  }
  return undefined;
};

/** Data that a tool made, as it is stored; undefined where JSON cannot hold it, or it nests deeper than svc reads. */
export const jsonOfData = (data: unknown): FoundJson | undefined => {
  const found = parsedJson(writtenJson(data));
  return found === undefined ? undefined : { json: found.json, isRepaired: false };
};

/** No JSON where the data has none. */
const writtenJson = (data: unknown): string => {
  try {
    return JSON.stringify(data) ?? '';
  } catch {
    return '';
  }
};

function* candidates(text: string): Generator<string> {
  for (const [, block = ''] of text.matchAll(FENCE)) yield block;
  let at = nextStart(text, 0);
  for (let tried = 0; at >= 0 && tried < STARTS_MAX; tried++) {
    const end = balancedEnd(text, at);
    if (end > 0) yield text.slice(at, end);
    at = nextStart(text, at + 1);
  }
}

/** Where the next object or array may begin; -1 for nowhere. */
const nextStart = (text: string, from: number): number => {
  const found = text.slice(from).search(/[[{]/);
  return found < 0 ? -1 : from + found;
};

/** The offset after the bracket that closes the one at `start`; 0 where none does. Brackets in strings do not count. */
const balancedEnd = (text: string, start: number): number => {
  let depth = 0;
  let isString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return 0;
};
