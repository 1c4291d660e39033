import { isRecord } from '../../base/index.ts';

/** Longest vector that is taken. */
const LENGTH_MAX = 8_192;

/** Vectors of unit length; undefined unless there is one for each text, all of one length and of usable numbers. */
export const unitVectors = (found: readonly unknown[], count: number): readonly Float32Array[] | undefined => {
  const vectors = found.map(unitVector);
  const [first] = vectors;
  if (vectors.length !== count || first === undefined) return undefined;
  const taken = vectors.filter((vector) => vector !== undefined && vector.length === first.length);
  return taken.length === count ? (taken as Float32Array[]) : undefined;
};

const unitVector = (found: unknown): Float32Array | undefined => {
  if (!Array.isArray(found) || found.length === 0 || found.length > LENGTH_MAX) return undefined;
  if (!found.every((value) => typeof value === 'number' && Number.isFinite(value))) return undefined;
  const size = Math.hypot(...(found as number[]));
  return size > 0 && Number.isFinite(size) ? Float32Array.from(found as number[], (value) => value / size) : undefined;
};

/** Tokens of the texts, as an answer in the form of OpenAI counts them; undefined where it does not. */
export const countedTokens = (body: unknown): number | undefined => {
  const usage = isRecord(body) ? body['usage'] : undefined;
  const tokens = isRecord(usage) ? usage['prompt_tokens'] : undefined;
  return typeof tokens === 'number' ? tokens : undefined;
};

/** The vectors of an answer in the form of OpenAI, in the order of the texts. */
export const listedVectors = (body: unknown): readonly unknown[] => {
  const data = isRecord(body) ? body['data'] : undefined;
  const rows = Array.isArray(data) ? data.filter(isRecord) : [];
  const placed = rows.map((row, place) => ({
    place: typeof row['index'] === 'number' ? row['index'] : place,
    vector: row['embedding'],
  }));
  return placed.sort((left, right) => left.place - right.place).map(({ vector }) => vector);
};
