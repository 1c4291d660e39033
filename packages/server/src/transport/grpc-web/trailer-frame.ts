import { frameOf } from '../envelope/index.ts';
import type { HeaderList } from '../http/index.ts';

const TRAILERS = 0x80;

/** The last frame of a gRPC-web answer: trailers as header lines. */
export const trailerFrame = (trailers: HeaderList): Buffer => {
  let lines = '';
  for (let index = 0; index + 1 < trailers.length; index += 2)
    lines += `${trailers[index]}: ${trailers[index + 1]}\r\n`;
  return frameOf(Buffer.from(lines), TRAILERS);
};
