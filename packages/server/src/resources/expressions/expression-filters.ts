import { canonicalJson, type JsonData } from '../canonical-json.ts';

/** The filters except `default`, the only one with an argument. */
const FILTERS = {
  upper: (value: JsonData): string => plainText(value).toUpperCase(),
  lower: (value: JsonData): string => plainText(value).toLowerCase(),
  trim: (value: JsonData): string => plainText(value).trim(),
  json: (value: JsonData): string => canonicalJson(value),
  slug: (value: JsonData): string => slug(plainText(value)),
} as const;

export type FilterName = keyof typeof FILTERS;

/** True for the name of a filter without argument. */
export const isFilter = (name: string): name is FilterName => Object.hasOwn(FILTERS, name);

/** Applies the filter to a value. */
export const applyFilter = (value: JsonData, name: FilterName): string => FILTERS[name](value);

/** A value inside a text: texts unchanged, everything else as JSON. */
export const plainText = (value: JsonData): string => (typeof value === 'string' ? value : canonicalJson(value));

/** Lower-case letters and digits joined by single hyphens; accents are dropped. */
const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
