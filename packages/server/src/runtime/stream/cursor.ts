import { Fault, invalidField } from '../../base/index.ts';
import { CursorLine, Cursors } from '../../streams/index.ts';
import { SEQUENCE_BASE } from '../contract.ts';

/** Place in the events of one session: everything at or below `sequence` was seen. */
export interface CursorPlace {
  readonly sessionId: string;
  readonly epoch: number;
  readonly sequence: number;
}

/** Cursors of the sessions of one store: the session, its epoch and the sequence. */
export class CursorCodec {
  readonly #cursors: Cursors;

  constructor(storeEpoch: string) {
    this.#cursors = new Cursors(storeEpoch);
  }

  /** Cursors along the events of a session in one epoch. */
  line(sessionId: string, epoch: number): CursorLine {
    return new CursorLine(this.#cursors.prefix(sessionId, epoch));
  }

  encode(place: CursorPlace): string {
    return this.line(place.sessionId, place.epoch).at(place.sequence);
  }

  /**
   * Sequence of a cursor handed in by a client. Text that is not a cursor of this session is INVALID_ARGUMENT; one from
   * another store epoch or from before a clear is OUT_OF_RANGE CURSOR_EXPIRED.
   */
  decode(text: string, session: { readonly id: string; readonly epoch: number; readonly fence: number }): number {
    const parts = this.#cursors.read(text, session.id, 2);
    if (parts === undefined) throw invalidField('after', 'is not a cursor of this session');
    const [epoch = 0, sequence = 0] = parts.numbers;
    const isForeign = parts.isForeign || epoch !== session.epoch;
    if (isForeign || Math.floor(sequence / SEQUENCE_BASE) > session.fence) throw cursorExpired();
    return sequence;
  }
}

/** The events after the cursor are no longer kept: list messages and resume from their stream_cursor. */
export const cursorExpired = (): Fault =>
  new Fault(
    'OUT_OF_RANGE',
    'CURSOR_EXPIRED',
    'the cursor is no longer kept: list the messages and resume from their stream_cursor',
  );
