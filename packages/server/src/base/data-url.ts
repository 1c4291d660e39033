import type { Steps } from './steps/index.ts';

const HEAD = /^data:([^;,]*)((?:;[^;,]*)*),/;
/** Characters decoded in one step; a multiple of four, so that base64 may be cut there. */
const STEP_CHARACTERS = 1024 * 1024;
/** Percent-encoded text is decoded in one go; larger contents are sent as base64. */
const ENCODED_CHARACTERS_MAX = 4 * 1024 * 1024;

/** The content of a data: url (RFC 2397). */
interface DataUrlContent {
  /** In memory of its own, which can be passed to another thread. */
  readonly bytes: Buffer<ArrayBuffer>;
  readonly mediaType: string;
}

/** Content of a data: url, decoded in steps of a mebibyte; undefined when it is malformed. */
export function* decodingDataUrl(url: string): Steps<DataUrlContent | undefined> {
  const match = HEAD.exec(url);
  if (match === null) return undefined;
  const mediaType = match[1] || 'text/plain';
  const body = percentDecoded(url.slice(match[0].length));
  if (body === undefined) return undefined;
  if (match[2]?.endsWith(';base64') !== true) return { bytes: ownBytes(body), mediaType };
  // Writing to fresh memory costs time: that is spread over the steps.
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((body.length / 4) * 3));
  let size = 0;
  for (let start = 0; start < body.length; start += STEP_CHARACTERS) {
    const piece = body.slice(start, start + STEP_CHARACTERS);
    const isLast = start + STEP_CHARACTERS >= body.length;
    if (!(isLast ? /^[A-Za-z0-9+/_-]*={0,2}$/ : /^[A-Za-z0-9+/_-]*$/).test(piece)) return undefined;
    size += bytes.write(piece, size, 'base64');
    yield;
  }
  return { bytes: bytes.subarray(0, size), mediaType };
}

const percentDecoded = (text: string): string | undefined => {
  if (!text.includes('%')) return text;
  if (text.length > ENCODED_CHARACTERS_MAX) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Small buffers would otherwise share their memory with others. */
const ownBytes = (text: string): Buffer<ArrayBuffer> => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text, 'utf8');
  return bytes;
};
