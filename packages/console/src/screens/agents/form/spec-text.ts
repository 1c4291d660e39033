import { type Document, isCollection, parseDocument } from 'yaml';

type Step = string | number;

/** The value at a path of a YAML text; undefined where there is none, or where the text cannot be read. */
export const valueIn = (text: string, path: readonly Step[]): unknown => {
  const document = parseDocument(text);
  if (document.errors.length > 0) return undefined;
  const found: unknown = document.getIn(path);
  return isCollection(found) ? found.toJS(document) : found;
};

export const isReadable = (text: string): boolean => parseDocument(text).errors.length === 0;

/** The text with another value at the path, everything else as it was written; undefined removes it, and what it leaves empty. */
export const withValue = (text: string, path: readonly Step[], value: unknown): string => {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  if (isNothing(value)) removeAt(document, path);
  // A single value takes the place of the former one inside of its node, whose comment stays.
  else document.setIn(path, typeof value === 'object' ? document.createNode(value) : value);
  return document.toString({ lineWidth: 0 });
};

const isNothing = (value: unknown): boolean =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

const removeAt = (document: Document.Parsed, path: readonly Step[]): void => {
  if (document.hasIn(path)) document.deleteIn(path);
  const above = path.slice(0, -1);
  const around = document.getIn(above);
  // `spec` itself stays, as do the items of lists.
  if (above.length > 1 && typeof above.at(-1) === 'string' && isCollection(around) && around.items.length === 0)
    removeAt(document, above);
};
