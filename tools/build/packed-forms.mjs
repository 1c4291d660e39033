import { readFileSync, writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const packable = new Set(['.css', '.js', '.json', '.svg', '.txt', '.wasm']);
/** Smaller files come in one packet either way. */
const LEAST_PACKED_BYTES = 1024;
/** One level below the best, which takes ten times as long for a hundredth less. */
const BROTLI_QUALITY = 10;

/**
 * Writes the packed forms of a file (`.br`, `.gz`) next to it where it packs well, so that the server never packs.
 *
 * @param {string} path of the file
 */
export function writePackedForms(path) {
  if (!packable.has(extname(path))) return;
  const bytes = readFileSync(path);
  if (bytes.length < LEAST_PACKED_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
}
