import { textOrEmpty } from '../../../../base/index.ts';
import { jsonResult, numberOf } from '../../../../tools/authority-contract.ts';
import type { ToolResult } from '../../../../tools/contract.ts';
import { hasText, type PdfReader, readText } from '../file-text.ts';

/** Characters (UTF-16 units) of a text that one call answers, unless it asks for fewer or more. */
const LIMIT_DEFAULT = 20_000;
const LIMIT_MAX = 40_000;

/** Arguments of tools that read a text in parts. */
export const PART_ARGUMENTS = {
  offset: { type: 'integer', minimum: 0, default: 0, description: 'first character to read' },
  limit: { type: 'integer', minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT },
} as const;

export const MEDIA_TYPE_ARGUMENT = {
  type: 'string',
  maxLength: 255,
  pattern: '^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?:; ?[\\x20-\\x7e]*)?$',
  description: 'such as text/markdown; left out: by the end of the name',
} as const;

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  md: 'text/markdown',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

/** The media type of a text by the end of its name. */
export const textTypeOf = (name: string): string => {
  const end = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(TYPES, end) ? (TYPES[end] ?? '') : 'text/plain';
};

/** What is read, and how it is described. */
interface ShownBytes {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly mediaType: string;
  readonly filename: string;
  readonly bytes: Uint8Array;
}

/** A part of a text with where to continue; other bytes as a medium, which the model sees when it can. */
export const contentResult = async (
  pdf: PdfReader,
  shown: ShownBytes,
  input: Readonly<Record<string, unknown>>,
): Promise<ToolResult> => {
  const { facts, mediaType, filename, bytes } = shown;
  const isText = hasText({ mediaType }, { sizeBytes: bytes.length });
  const text = isText ? (await readText(pdf, mediaType, bytes)).text : undefined;
  if (text === undefined) {
    const described = jsonResult(facts);
    return { ...described, content: [...described.content, { type: 'media', mediaType, filename, bytes }] };
  }
  const offset = Math.min(numberOf(input['offset'], 0), text.length);
  const end = wholeEnd(text, Math.min(text.length, offset + numberOf(input['limit'], LIMIT_DEFAULT)));
  return jsonResult({
    ...facts,
    content: text.slice(offset, end),
    offset,
    total_chars: text.length,
    ...(end < text.length ? { next_offset: end } : {}),
  });
};

/** Never between the halves of a surrogate pair. */
const wholeEnd = (text: string, end: number): number =>
  end < text.length && /[\ud800-\udbff]/.test(textOrEmpty(text[end - 1])) ? end + 1 : end;
