import { jsonResult, textPart } from '../../../../tools/authority-contract.ts';
import type { ToolResult } from '../../../../tools/contract.ts';
import { hasText, type PdfReader, readText } from '../file-text.ts';
import { tooLarge } from '../upload-faults.ts';

/** Other content than text is read whole into memory, so it may be as long as an attachment of a message. */
const MEDIA_BYTES_MAX = 25 * 1024 * 1024;

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

/** Content that is not read yet. */
export interface ToolContent {
  readonly mediaType: string;
  readonly filename: string;
  readonly sizeBytes: number;
  read(): Promise<Uint8Array>;
}

/** A part of a text with where to continue; other bytes as a medium, which the model sees when it can. Throws TOO_LARGE. */
export const contentResult = async (
  pdf: PdfReader,
  shown: ToolContent & { readonly facts: Readonly<Record<string, unknown>> },
  input: Readonly<Record<string, unknown>>,
): Promise<ToolResult> => {
  const { facts, mediaType, filename, sizeBytes } = shown;
  const isText = hasText({ mediaType }, { sizeBytes });
  if (!isText && sizeBytes > MEDIA_BYTES_MAX) throw tooLarge('content that a tool reads', MEDIA_BYTES_MAX);
  const bytes = await shown.read();
  const text = isText ? (await readText(pdf, mediaType, bytes)).text : undefined;
  if (text === undefined) {
    const described = jsonResult(facts);
    return { ...described, content: [...described.content, { type: 'media', mediaType, filename, bytes }] };
  }
  return jsonResult({ ...facts, ...textPart(text, input) });
};
