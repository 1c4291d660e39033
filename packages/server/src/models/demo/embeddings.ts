/** Dimensions of the demo embeddings. */
export const DEMO_EMBEDDING_DIMENSIONS = 64;

/** FNV-1a over UTF-16 units. */
const hashOf = (word: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  return hash >>> 0;
};

/**
 * Deterministic embedding of unit length: words, lower-cased, are hashed to dimensions. Texts without words get the first
 * unit vector, so that every vector can be compared.
 */
export const embedDemo = (text: string): Float32Array => {
  const vector = new Float32Array(DEMO_EMBEDDING_DIMENSIONS);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []) {
    const hash = hashOf(word);
    const at = hash % DEMO_EMBEDDING_DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + ((hash & 0x8000_0000) === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  if (length === 0) {
    vector[0] = 1;
    return vector;
  }
  return vector.map((value) => value / length);
};
