import { createHash } from 'node:crypto';

/** Place of a call: model call of the turn (from 1) and position in its batch (from 0). */
export interface CallPlace {
  readonly turnId: string;
  readonly step: number;
  readonly index: number;
}

const TAIL_CHARS = 12;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** `call_<turn tail>_<step>_<index>`: unique per session, the same in every attempt. */
export const toolCallId = ({ turnId, step, index }: CallPlace): string =>
  `call_${turnId.replaceAll('-', '').slice(-TAIL_CHARS)}_${step}_${index}`;

/** Base32 (lower case, no padding) of sha256 over the place: every run of the call carries it. */
export const idempotencyKey = ({ turnId, step, index }: CallPlace): string =>
  base32(createHash('sha256').update(`${turnId}\n${step}\n${index}`).digest());

/** The place named by an id of `toolCallId`; undefined for other ids. */
export const placeOfCall = (turnId: string, callId: string): CallPlace | undefined => {
  const match = /^call_[0-9a-z]+_(\d+)_(\d+)$/.exec(callId);
  if (match === null) return undefined;
  const place = { turnId, step: Number(match[1]), index: Number(match[2]) };
  return toolCallId(place) === callId ? place : undefined;
};

const base32 = (bytes: Uint8Array): string => {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET.charAt((pending >> bits) & 31);
    }
  }
  return bits === 0 ? text : text + ALPHABET.charAt((pending << (5 - bits)) & 31);
};
