/** From this length on the signs of a vector tell enough of it; of shorter ones every number is kept in 8 bits. */
const SIGNS_MIN = 512;

/** How sketches of vectors of a length are compared. */
export type SketchForm = 'signs' | 'bytes';

/** The form of sketches of vectors with so many numbers. */
export const sketchForm = (length: number): SketchForm => (length >= SIGNS_MIN && length % 8 === 0 ? 'signs' : 'bytes');

/** A vector of unit length in short: a bit for each number, or a byte. */
export const sketchOf = (vector: Float32Array): Uint8Array => {
  if (sketchForm(vector.length) === 'bytes')
    return new Uint8Array(Int8Array.from(vector, (value) => Math.round(value * 127)).buffer);
  const signs = new Uint8Array(vector.length / 8);
  for (const [index, value] of vector.entries())
    if (value > 0) signs[index >> 3] = (signs[index >> 3] ?? 0) | (1 << (index & 7));
  return signs;
};

/** A vector as SQLite stores it: 32-bit floats, little-endian. */
export const vectorBytes = (vector: Float32Array): Uint8Array => {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) view.setFloat32(index * 4, value, true);
  return new Uint8Array(view.buffer);
};
