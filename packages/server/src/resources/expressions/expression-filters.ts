import { canonicalJson, type JsonData } from '../canonical-json.ts';

/** The filters besides `default`, which alone takes an argument (PL-1.3). */
const FILTERS: ReadonlyMap<string, (value: JsonData) => JsonData> = new Map<string, (value: JsonData) => JsonData>([
  ['upper', (value) => plainText(value).toUpperCase()],
  ['lower', (value) => plainText(value).toLowerCase()],
  ['trim', (value) => plainText(value).trim()],
  ['json', (value) => canonicalJson(value)],
  ['slug', (value) => slug(plainText(value))],
]);

export const isFilter = (name: string): boolean => FILTERS.has(name);

/** The value after the named filters, in order; names are known to be filters. */
export const applyFilters = (value: JsonData, names: readonly string[]): JsonData =>
  names.reduce<JsonData>((result, name) => FILTERS.get(name)?.(result) ?? result, value);

/** A value inside a text: texts as they are, everything else as JSON. */
export const plainText = (value: JsonData): string => (typeof value === 'string' ? value : canonicalJson(value));

/** Lower-case letters and digits joined by single hyphens; accents are dropped. */
const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
