import type { ToolContent, ToolResult } from '../../../tools/contract.ts';
import { type ObjectData, PART, type Part } from '../../contract.ts';
import { cutText } from './text-cut.ts';

/** Larger outputs are kept as an object. */
const INLINE_OUTPUT_BYTES = 4096;
/** First characters of such an output that stay in the part. */
const PREVIEW_CHARS = 2000;
/** More than this of one output is not kept. */
export const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** Stores bytes of the session's namespace; the caller holds what comes back when it journals the part. */
type ObjectWriter = (
  bytes: Uint8Array,
  facts: { readonly mediaType: string; readonly filename: string },
) => Promise<ObjectData>;

export interface ResultPartRequest {
  readonly id: string;
  readonly name: string;
  readonly callId: string;
  readonly result: ToolResult;
  readonly createdAt: number;
  readonly write: ObjectWriter;
}

export interface ResultPart {
  readonly part: Part;
  /** Every object the part names, to be held by its message. */
  readonly objects: readonly ObjectData[];
}

/**
 * TOOL_RESULT part of a result: whole up to 4 KiB, else a preview of 2,000 characters and the whole text as an
 * object, cut at 8 MiB. Media of the result become objects that `output.media` names.
 */
export const toolResultPart = async (request: ResultPartRequest): Promise<ResultPart> => {
  const media = await storeMedia(request);
  const whole = resultText(request.result);
  const kept = cutBytes(whole, MAX_OUTPUT_BYTES);
  const output = resultOutput(request.result, kept, media);
  const isInline = fits(kept) && (output === kept || fits(JSON.stringify(output)));
  const object = isInline ? undefined : await storeText(request, fits(kept) ? JSON.stringify(output) : kept);
  const content = fits(kept) ? kept : cutText(kept, PREVIEW_CHARS);
  const part: Part = {
    id: request.id,
    type: PART.TOOL_RESULT,
    content,
    name: request.name,
    payload: {
      tool_call_id: request.callId,
      ...(isInline ? { output } : {}),
      is_error: request.result.isError,
      truncated: content.length < whole.length,
    },
    createdAt: request.createdAt,
    ...(object === undefined ? {} : { object }),
  };
  return { part, objects: object === undefined ? media : [object, ...media] };
};

const fits = (text: string): boolean =>
  text.length <= INLINE_OUTPUT_BYTES && Buffer.byteLength(text) <= INLINE_OUTPUT_BYTES;

/** Text blocks joined by newline, a line for each file; the structured value as JSON when there is no block. */
const resultText = (result: ToolResult): string => {
  if (result.content.length === 0) return result.structured === undefined ? '' : JSON.stringify(result.structured);
  return result.content.map(contentLine).join('\n');
};

const contentLine = (content: ToolContent): string =>
  content.type === 'text'
    ? content.text
    : `[file ${content.filename} (${content.mediaType}, ${content.bytes.length} bytes)]`;

const resultOutput = (result: ToolResult, text: string, media: readonly ObjectData[]): unknown => {
  const value = result.structured ?? text;
  if (media.length === 0) return value;
  const files = media.map(({ key, mediaType, sizeBytes, filename }) => ({
    key,
    media_type: mediaType,
    size_bytes: sizeBytes,
    filename,
  }));
  return { value, media: files };
};

const storeMedia = async ({ result, write }: ResultPartRequest): Promise<readonly ObjectData[]> => {
  const stored: ObjectData[] = [];
  for (const content of result.content) {
    if (content.type === 'media')
      stored.push(await write(content.bytes, { mediaType: content.mediaType, filename: content.filename }));
  }
  return stored;
};

const storeText = ({ name, callId, write }: ResultPartRequest, text: string): Promise<ObjectData> =>
  write(Buffer.from(text), { mediaType: 'text/plain; charset=utf-8', filename: `${name}-${callId}.txt` });

/** At most `maxBytes` of UTF-8, never parting a character. */
const cutBytes = (text: string, maxBytes: number): string => {
  if (text.length * 3 <= maxBytes) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end);
};
