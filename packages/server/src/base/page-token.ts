import { createHash } from 'node:crypto';
import { Fault, invalidField } from './fault.ts';
import { parseJsonText } from './json/index.ts';

/** The parameters of a list except page size and token; a token is valid only for the same parameters. */
type PageQuestion = readonly (string | number | boolean)[];

const fingerprint = (question: PageQuestion): string =>
  createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 16);

const invalid = (): Fault =>
  new Fault('INVALID_ARGUMENT', 'PAGE_TOKEN_INVALID', 'pageToken: not a token of this list', {
    violations: [{ field: 'pageToken', description: 'not a token of this list', reason: 'PAGE_TOKEN_INVALID' }],
  });

/** Opaque token for the position where the next page begins. */
export const encodePageToken = (question: PageQuestion, position: readonly string[]): string =>
  Buffer.from(JSON.stringify([fingerprint(question), ...position])).toString('base64url');

/** The position of a token, undefined for the first page; Fault PAGE_TOKEN_INVALID for any other token. */
export const decodePageToken = (token: string, question: PageQuestion): readonly string[] | undefined => {
  if (token === '') return undefined;
  const [mark, ...position] = parse(token);
  if (mark !== fingerprint(question)) throw invalid();
  return position;
};

/** A whole number in the position of a token; Fault PAGE_TOKEN_INVALID for values that no list has written. */
export const placeNumber = (text: string | undefined): number => {
  const value = /^\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw invalid();
  return value;
};

const parse = (token: string): readonly string[] => {
  let value: unknown;
  try {
    value = parseJsonText(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    throw invalid();
  }
  if (!Array.isArray(value) || value.length < 2 || !value.every((item) => typeof item === 'string')) throw invalid();
  return value;
};

const PAGE = 200;
const METADATA_PAGE = 1_000;

/** Rows to return for a `page_size`: 0 means 200, more than the maximum means the maximum, negative is refused. */
export const pageSize = (requested: number, metadataOnly = false): number => {
  if (requested < 0) throw invalidField('pageSize', 'must not be negative');
  return requested === 0 ? PAGE : Math.min(requested, metadataOnly ? METADATA_PAGE : PAGE);
};
