import { createHash } from 'node:crypto';
import { Fault, invalidField } from '../../../../base/index.ts';

const SHAPE = /^([\w-]{8})([0-9a-f]{12})-([0-9a-z]{1,11})$/;
const UID_TAIL = 12;

/** Cursors of channel streams: opaque text of store epoch, channel uid and sequence; valid on every node. */
export class ChannelCursors {
  readonly #store: string;

  constructor(storeEpoch: string) {
    this.#store = createHash('sha256').update(storeEpoch).digest('base64url').slice(0, 8);
  }

  encode(channelUid: string, sequence: number): string {
    return `${this.#store}${channelUid.slice(-UID_TAIL)}-${sequence.toString(36)}`;
  }

  /** INVALID_ARGUMENT for text that is not a cursor of this channel; CURSOR_EXPIRED for one of another store epoch. */
  decode(text: string, channelUid: string): number {
    const match = SHAPE.exec(text);
    const sequence = Number.parseInt(match?.[3] ?? '', 36);
    if (match === null || match[2] !== channelUid.slice(-UID_TAIL) || !Number.isSafeInteger(sequence))
      throw invalidField('after', 'is not a cursor of this channel');
    if (match[1] !== this.#store) throw cursorExpired();
    return sequence;
  }
}

/** Events after the cursor are no longer kept: list messages, then follow from "0" or live. */
export const cursorExpired = (): Fault =>
  new Fault('OUT_OF_RANGE', 'CURSOR_EXPIRED', 'events after the cursor are no longer kept: list the messages instead');
