import { isUtf8 } from 'node:buffer';
import { CommandFailure } from './failure.ts';

/** Bytes as text; other encodings are refused, for reading them would quietly change what was written. `source` names them. */
export const utf8Text = (bytes: Uint8Array, source: string): string => {
  if (!isUtf8(bytes)) throw new CommandFailure(`${source} is not UTF-8 text`, { hint: 'save it as UTF-8' });
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
};
