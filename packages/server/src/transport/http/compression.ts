import { brotliCompress, brotliDecompress, constants, gunzip, gunzipSync, gzip, gzipSync } from 'node:zlib';

/** Answers below this are sent as they are: compressing them costs more than it saves. */
export const LEAST_COMPRESSED_BYTES = 2048;

export type ContentEncoding = 'gzip' | 'br';

/** Encoding to answer in, by `Accept-Encoding`: br before gzip, none when neither is welcome. */
export const acceptedEncoding = (
  accept: string | undefined,
  offered: readonly ContentEncoding[],
): ContentEncoding | undefined => {
  if (accept === undefined) return undefined;
  const refused = new Set<string>();
  const asked = new Set<string>();
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    (isRefused ? refused : asked).add(name);
  }
  return offered.find((name) => asked.has(name) || (asked.has('*') && !refused.has(name)));
};

/** Compresses off the main thread; a failure hands over the error. */
export const compress = (
  encoding: ContentEncoding,
  body: Uint8Array,
  done: (error: Error | null, packed: Buffer) => void,
): void => {
  if (encoding === 'gzip') gzip(body, { level: 5 }, done);
  else brotliCompress(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, done);
};

/** For pieces of a stream, which must keep their order. */
export const compressSync = (body: Uint8Array): Buffer => gzipSync(body, { level: 5 });

/** Unpacks a small gzip piece of a stream; undefined = larger than `limit` bytes, an error = damaged. */
export const decompressSync = (bytes: Uint8Array, limit: number): Buffer | Error | undefined => {
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return (error as Error & { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? undefined : error;
  }
};

/** Unpacks at most `limit` bytes; undefined = larger, an error = damaged. */
export const decompress = (
  encoding: ContentEncoding,
  body: { readonly bytes: Uint8Array; readonly limit: number },
  done: (result: Buffer | Error | undefined) => void,
): void => {
  const options = { maxOutputLength: Math.max(1, body.limit) };
  const finish = (error: (Error & { code?: string }) | null, unpacked: Buffer): void => {
    if (error === null) done(unpacked);
    else done(error.code === 'ERR_BUFFER_TOO_LARGE' ? undefined : error);
  };
  if (encoding === 'gzip') gunzip(body.bytes, options, finish);
  else brotliDecompress(body.bytes, options, finish);
};
