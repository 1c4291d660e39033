import { malformed } from '../envelope/index.ts';

const alphabet = /^[A-Za-z0-9+/]*={0,2}$/;

/** Bytes of a base64 body; a client may pad at every message, so padding in the middle starts a new run. */
export const decodeWebText = (body: Buffer): Buffer => {
  const text = body.toString('latin1').trim();
  const runs = text.match(/[^=]+={0,2}/g) ?? [];
  if (runs.join('') !== text || !runs.every((run) => alphabet.test(run) && run.replace(/=+$/, '').length % 4 !== 1)) {
    throw malformed('body is not base64');
  }
  return Buffer.concat(runs.map((run) => Buffer.from(run, 'base64')));
};

/** One message or trailer block as base64 with its own padding: readers may decode up to every message boundary. */
export const encodeWebText = (frame: Buffer): Buffer => Buffer.from(frame.toString('base64'), 'latin1');
