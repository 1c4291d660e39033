import { JSON_DEPTH, parseJsonText } from '../../../base/index.ts';
import { cutText } from './text-cut.ts';

/** Largest arguments of one call. */
export const MAX_ARGUMENT_BYTES = 256 * 1024;
const PREVIEW_UNITS = 2000;

/**
 * What a TOOL_CALL part stores as `input` for the raw arguments of the model. Arguments that are not JSON, too large, nested
 * deeper than 100, or `cut` off by the output limit stay text, so that every attempt judges them as invalid again.
 */
export const callInput = (inputText: string, cut = false): unknown => {
  const text = inputText.trim();
  if (cut || Buffer.byteLength(text) > MAX_ARGUMENT_BYTES) return cutText(text, PREVIEW_UNITS);
  if (text === '') return {};
  try {
    return parseJsonText(text, JSON_DEPTH);
  } catch {
    return cutText(text, PREVIEW_UNITS);
  }
};

/** True for a JSON object; only such arguments can be run. */
export const isObjectInput = (input: unknown): input is Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

/** One text for one JSON value, whatever the order of its members; to tell identical calls. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObjectInput(value)) return JSON.stringify(value) ?? 'null';
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`;
};
