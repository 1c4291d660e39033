import { type BodyText, malformed } from '../envelope/index.ts';

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Bytes of a base64 body; a client may pad at every message, so padding in the middle starts a new run. */
const decodeWebText = (body: Buffer): Buffer => {
  const text = body.toString('latin1').trim();
  const runs = text.match(/[^=]+={0,2}/g) ?? [];
  if (runs.join('') !== text || !runs.every((run) => alphabet.test(run) && run.replace(/=+$/, '').length % 4 !== 1)) {
    throw malformed('body is not base64');
  }
  return Buffer.concat(runs.map((run) => Buffer.from(run, 'base64')));
};

/** Decoder of a base64 body that comes in pieces: four characters at a time, what is left over with the next piece. */
const webTextPieces = (): ((piece: Buffer, isLast: boolean) => Buffer) => {
  let rest = '';
  return (piece, isLast) => {
    const text = rest + piece.toString('latin1');
    const end = isLast ? text.length : text.length - (text.length % 4);
    rest = text.slice(end);
    return decodeWebText(Buffer.from(text.slice(0, end), 'latin1'));
  };
};

/** One message or trailer block as base64 with its own padding: readers may decode up to every message boundary. */
export const encodeWebText = (frame: Buffer): Buffer => Buffer.from(frame.toString('base64'), 'latin1');

/** Bodies in base64: four characters for three bytes, and some for a last padding. */
export const webText: BodyText = {
  most: (bytes) => Math.ceil(bytes / 3) * 4 + 4,
  decode: decodeWebText,
  pieces: webTextPieces,
};
