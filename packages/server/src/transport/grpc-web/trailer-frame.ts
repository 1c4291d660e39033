import { frameOf } from '../envelope/index.ts';
import type { Trailers } from '../http/index.ts';

const TRAILERS = 0x80;

/** The last frame of a gRPC-web answer: trailers as header lines. */
export const trailerFrame = (trailers: Trailers): Buffer => {
  let lines = '';
  for (const [name, value] of Object.entries(trailers)) lines += `${name}: ${value}\r\n`;
  return frameOf(Buffer.from(lines), TRAILERS);
};
