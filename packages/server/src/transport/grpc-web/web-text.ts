import { atOnce, type Fault, type Steps } from '../../base/index.ts';
import { type BodyText, malformed } from '../envelope/index.ts';

/** Stretches of base64 in one body, each with its own padding: clients pad once per message. */
const RUNS_MAX = 1_000;
/** Characters that become a text at once, a multiple of four: larger texts would soon cost a collection of all garbage. */
const SLICE = 32 * 1024;
/** Bytes that become base64 at once, a multiple of three: only the end of a message is padded. */
const WRITTEN_SLICE = 24 * 1024;
/** Slices that are decoded or encoded in one step. */
const SLICES_PER_STEP = 4;
const PADDING = 0x3d;

/** Bytes of a base64 body, in steps; a client may pad at every message, so padding in the middle starts a new run. */
function* decodingWebText(body: Buffer): Steps<Buffer> {
  const text = trimmed(body);
  // The decoder takes the two characters that are only in the alphabet of URLs as well.
  if (text.includes('-') || text.includes('_')) throw notBase64();
  // Memory that nothing has touched yet costs time where it is first written: that is spread over the steps.
  const bytes = Buffer.allocUnsafeSlow(Math.ceil((text.length / 4) * 3));
  let size = 0;
  let runs = 0;
  for (let start = 0; start < text.length; ) {
    const { end, padded } = runEnd(text, start);
    runs += 1;
    if (end === start || runs > RUNS_MAX) throw notBase64();
    size += yield* decodingRun(text.subarray(start, end), bytes, size);
    start = padded;
  }
  return bytes.subarray(0, size);
}

/** Writes the bytes of characters without padding, and answers how many they are. */
function* decodingRun(characters: Buffer, into: Buffer, at: number): Steps<number> {
  const size = Math.floor((characters.length * 3) / 4);
  let written = 0;
  for (let start = 0; start < characters.length; start += SLICE) {
    if (start > 0 && start % (SLICE * SLICES_PER_STEP) === 0) yield;
    written += into.write(characters.toString('latin1', start, start + SLICE), at + written, 'base64');
  }
  // What is not in the alphabet is skipped by the decoder, so that bytes are missing.
  if (characters.length % 4 === 1 || written !== size) throw notBase64();
  return size;
}

const notBase64 = (): Fault => malformed('body is not base64');

const trimmed = (body: Buffer): Buffer => {
  let start = 0;
  let end = body.length;
  while (start < end && isSpace(body[start])) start += 1;
  while (end > start && isSpace(body[end - 1])) end -= 1;
  return body.subarray(start, end);
};

const isSpace = (code: number | undefined): boolean =>
  code === 0x20 || (code !== undefined && code >= 0x09 && code <= 0x0d);

/** Where the characters of the run that begins here end, and where the run ends with up to two characters of padding. */
const runEnd = (text: Buffer, start: number): { readonly end: number; readonly padded: number } => {
  const end = text.indexOf(PADDING, start);
  if (end < 0) return { end: text.length, padded: text.length };
  return { end, padded: text[end + 1] === PADDING ? end + 2 : end + 1 };
};

/** Decoder of a base64 body that comes in pieces: four characters at a time, what is left over with the next piece. */
const webTextPieces = (): ((piece: Buffer, isLast: boolean) => Buffer) => {
  let rest = '';
  return (piece, isLast) => {
    const text = rest + piece.toString('latin1');
    const end = isLast ? text.length : text.length - (text.length % 4);
    rest = text.slice(end);
    return atOnce(decodingWebText(Buffer.from(text.slice(0, end), 'latin1')));
  };
};

/** One message or trailer block as base64 with its own padding: readers may decode up to every message boundary. */
export const encodeWebText = (frame: Buffer): Buffer => Buffer.from(frame.toString('base64'), 'latin1');

/** As encodeWebText, in steps. */
export function* encodingWebText(frame: Buffer): Steps<Buffer> {
  if (frame.length <= SLICE * SLICES_PER_STEP) return encodeWebText(frame);
  const text = Buffer.allocUnsafeSlow(Math.ceil(frame.length / 3) * 4);
  let size = 0;
  for (let start = 0; start < frame.length; start += WRITTEN_SLICE) {
    if (start > 0 && start % (WRITTEN_SLICE * SLICES_PER_STEP) === 0) yield;
    size += text.write(frame.toString('base64', start, start + WRITTEN_SLICE), size, 'latin1');
  }
  return text;
}

/** Bodies in base64: four characters for three bytes, and some for a last padding. */
export const webText: BodyText = {
  most: (bytes) => Math.ceil(bytes / 3) * 4 + 4,
  decoding: decodingWebText,
  pieces: webTextPieces,
};
