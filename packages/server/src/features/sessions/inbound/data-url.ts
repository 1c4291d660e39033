import type { Steps } from '../../../base/index.ts';

const HEAD = /^data:([^;,]*)((?:;[^;,]*)*),/;
/** Characters decoded in one step; a multiple of four, so that base64 may be cut there. */
const STEP_CHARACTERS = 1024 * 1024;
/** Percent-encoded text is decoded in one go; larger contents are sent as base64. */
const ENCODED_CHARACTERS_MAX = 4 * 1024 * 1024;

interface Content {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** Content of a data: url, in steps of a mebibyte; undefined when it is malformed. */
export function* decodingDataUrl(url: string): Steps<Content | undefined> {
  const match = HEAD.exec(url);
  if (match === null) return undefined;
  const mediaType = match[1] || 'text/plain';
  const body = percentDecoded(url.slice(match[0].length));
  if (body === undefined) return undefined;
  if (!(match[2] ?? '').endsWith(';base64')) return { bytes: Buffer.from(body, 'utf8'), mediaType };
  const pieces: Buffer[] = [];
  for (let start = 0; start < body.length; start += STEP_CHARACTERS) {
    const piece = body.slice(start, start + STEP_CHARACTERS);
    const isLast = start + STEP_CHARACTERS >= body.length;
    if (!(isLast ? /^[A-Za-z0-9+/_-]*={0,2}$/ : /^[A-Za-z0-9+/_-]*$/).test(piece)) return undefined;
    pieces.push(Buffer.from(piece, 'base64'));
    yield;
  }
  return { bytes: Buffer.concat(pieces), mediaType };
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
