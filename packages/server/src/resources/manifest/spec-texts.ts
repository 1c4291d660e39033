import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { parseJsonText } from '../../base/index.ts';
import { canonicalJson, isJsonTextField, type JsonData, type JsonMap } from '../canonical-json.ts';
import { hasExpressions, mapTexts, type TextPlace } from '../expressions/index.ts';
import { fieldOf } from './message-shape.ts';

/** The field at a path of a JSON value (`['steps', 0, 'id']`); undefined for what belongs to no message. */
export const fieldAt = (schema: DescMessage, path: TextPlace['path']): DescField | undefined => {
  let message: DescMessage | undefined = schema;
  let field: DescField | undefined;
  let isInside = false;
  for (const member of path) {
    if (isInside) {
      isInside = false;
      continue;
    }
    field = message === undefined ? undefined : fieldOf(message, String(member));
    message = field?.message;
    isInside = field?.fieldKind === 'list' || field?.fieldKind === 'map';
  }
  return field;
};

/**
 * As `mapTexts`, for a spec: JSON texts are changed inside, so that a value cannot change their structure, and an
 * expression on its own keeps its type. Positions continue into them; `whole` is the position of the text of the spec.
 */
export const mapSpecTexts = (
  schema: DescMessage,
  map: JsonMap,
  change: (text: string, place: TextPlace, whole: TextPlace) => JsonData,
): JsonMap =>
  mapTexts(map, (text, place) => {
    const field = hasExpressions(text) ? fieldAt(schema, place.path) : undefined;
    const inner = field !== undefined && isJsonTextField(field) ? parsed(text) : undefined;
    if (inner === undefined) return change(text, place, place);
    return canonicalJson(mapTexts(inner, (part, at) => change(part, at, place), place));
  }) as JsonMap;

const parsed = (text: string): JsonData | undefined => {
  try {
    return parseJsonText(text) as JsonData;
  } catch {
    // An expression outside of the texts is rendered as it is, and checked afterwards.
    return undefined;
  }
};
