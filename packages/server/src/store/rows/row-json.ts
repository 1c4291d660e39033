import { withoutHalfCharacters } from '../../base/index.ts';

/** Labels and annotations as they come out of rows; most rows have none, and share one frozen object. */
export type TextMap = Readonly<Record<string, string>>;

const NO_LABELS: TextMap = Object.freeze({});
const NOTHING: readonly never[] = Object.freeze([]);

/** A stored map of texts; all empty ones are the same object. */
export const parseTextMap = (json: string): TextMap =>
  json === '{}' ? NO_LABELS : (JSON.parse(withoutHalfCharacters(json)) as TextMap);

/** A stored list; all empty ones are the same object. */
export const parseList = <Item>(json: string): readonly Item[] =>
  json === '[]' ? NOTHING : (JSON.parse(withoutHalfCharacters(json)) as readonly Item[]);

/** A map of texts as it is stored. */
export const textMapJson = (map: TextMap): string => {
  for (const _key in map) return JSON.stringify(map);
  return '{}';
};

/** A list as it is stored. */
export const listJson = (list: readonly unknown[]): string => (list.length === 0 ? '[]' : JSON.stringify(list));
