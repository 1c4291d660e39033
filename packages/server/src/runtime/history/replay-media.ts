import type { ModelContent, ModelFacts } from '../../models/contract.ts';
import { PART, type Part } from '../contract.ts';
import type { LoadedObjects } from './object-loader.ts';

type Input = ModelFacts['inputs'][number];

const INPUT_OF: ReadonlyMap<number, Input> = new Map<number, Input>([
  [PART.IMAGE, 'image'],
  [PART.AUDIO, 'audio'],
  [PART.VIDEO, 'video'],
  [PART.FILE, 'file'],
]);

/** IMAGE, AUDIO, VIDEO or FILE. */
export const isMediaPart = (part: Part): boolean => INPUT_OF.has(part.type);

const accepts = (part: Part, inputs: ModelFacts['inputs']): boolean => {
  const input = INPUT_OF.get(part.type);
  return input !== undefined && inputs.includes(input);
};

/** True when the model takes this media part by value. */
export const wantsBytes = (part: Part, inputs: ModelFacts['inputs']): boolean =>
  part.object !== undefined && accepts(part, inputs);

/**
 * The media where the model accepts it, else a line that names the file; a placeholder sentence when its
 * object is gone. `objects` undefined = only the line is wanted.
 */
export const mediaContent = (
  part: Part,
  inputs: ModelFacts['inputs'],
  objects: LoadedObjects | undefined,
): ModelContent => {
  if (objects === undefined || !accepts(part, inputs)) return line(fileLine(part));
  const facts = { mediaType: mediaTypeOf(part), filename: filenameOf(part) };
  if (part.object === undefined) {
    const url = part.payload?.['url'];
    if (typeof url !== 'string' || !url.startsWith('https://')) return line(fileLine(part));
    return { type: 'media', media: { kind: 'url', ...facts, url } };
  }
  const bytes = objects.media.get(part.object.key);
  if (bytes === undefined) return line(`[The file ${nameForLine(part)} is no longer available.]`);
  return { type: 'media', media: { kind: 'bytes', ...facts, bytes } };
};

/** Marked as added: no user wrote these lines. */
const line = (text: string): ModelContent => ({ type: 'text', text, isAdded: true });

const FALLBACK_TYPES: ReadonlyMap<number, string> = new Map([
  [PART.IMAGE, 'image/*'],
  [PART.AUDIO, 'audio/*'],
  [PART.VIDEO, 'video/*'],
]);

const mediaTypeOf = (part: Part): string =>
  part.object?.mediaType ?? FALLBACK_TYPES.get(part.type) ?? 'application/octet-stream';

const filenameOf = (part: Part): string => part.object?.filename || part.name || '';

const nameForLine = (part: Part): string => filenameOf(part).replace(/\s+/g, ' ') || 'without a name';

/** The line that stands for a file which the model cannot take. */
const fileLine = (part: Part): string => {
  const size = part.object === undefined ? '' : `, ${part.object.sizeBytes} bytes`;
  return `[file ${nameForLine(part)} (${mediaTypeOf(part)}${size})]`;
};
