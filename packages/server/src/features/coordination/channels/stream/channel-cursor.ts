import { Fault, invalidField } from '../../../../base/index.ts';
import { CursorLine, Cursors } from '../../../../streams/index.ts';

/** Cursors of the channels of one store: the channel's uid and the sequence. */
export class ChannelCursors {
  readonly #cursors: Cursors;

  constructor(storeEpoch: string) {
    this.#cursors = new Cursors(storeEpoch);
  }

  /** Cursors along the events of a channel. */
  line(channelUid: string): CursorLine {
    return new CursorLine(this.#cursors.prefix(channelUid));
  }

  encode(channelUid: string, sequence: number): string {
    return this.line(channelUid).at(sequence);
  }

  /** INVALID_ARGUMENT for text that is not a cursor of this channel; CURSOR_EXPIRED for one of another store epoch. */
  decode(text: string, channelUid: string): number {
    const parts = this.#cursors.read(text, channelUid, 1);
    if (parts === undefined) throw invalidField('after', 'is not a cursor of this channel');
    if (parts.isForeign) throw cursorExpired();
    return parts.numbers[0] ?? 0;
  }
}

/** Events after the cursor are no longer kept: list messages, then follow from "0" or live. */
export const cursorExpired = (): Fault =>
  new Fault('OUT_OF_RANGE', 'CURSOR_EXPIRED', 'events after the cursor are no longer kept: list the messages instead');
