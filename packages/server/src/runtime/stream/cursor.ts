import { createHash } from 'node:crypto';
import { Fault, invalidField } from '../../base/index.ts';
import { SEQUENCE_BASE } from '../contract.ts';

/** Place in the events of one session: everything at or below `sequence` was seen. */
export interface CursorPlace {
  readonly sessionId: string;
  readonly epoch: number;
  readonly sequence: number;
}

const SHAPE = /^([\w-]{8})([0-9a-f]{12})-([0-9a-z]+)-([0-9a-z]+)$/;
const SESSION_TAIL = 12;

/** Cursors of one store: opaque text of store epoch, session and its epoch, and sequence; valid on every node. */
export class CursorCodec {
  readonly #store: string;

  constructor(storeEpoch: string) {
    this.#store = createHash('sha256').update(storeEpoch).digest('base64url').slice(0, 8);
  }

  /** Everything of a cursor but its sequence, so that a stream appends only digits per event. */
  prefix(sessionId: string, epoch: number): string {
    return `${this.#store}${sessionId.slice(-SESSION_TAIL)}-${epoch.toString(36)}-`;
  }

  encode(place: CursorPlace): string {
    return this.prefix(place.sessionId, place.epoch) + place.sequence.toString(36);
  }

  /**
   * Sequence of a cursor handed in by a client. Text that is not a cursor of this session is INVALID_ARGUMENT; one from
   * another store epoch or from before a clear is OUT_OF_RANGE CURSOR_EXPIRED.
   */
  decode(text: string, session: { readonly id: string; readonly epoch: number; readonly fence: number }): number {
    const match = SHAPE.exec(text);
    const sequence = Number.parseInt(match?.[4] ?? '', 36);
    if (match === null || match[2] !== session.id.slice(-SESSION_TAIL) || !Number.isSafeInteger(sequence)) {
      throw invalidField('after', 'is not a cursor of this session');
    }
    const isForeign = match[1] !== this.#store || match[3] !== session.epoch.toString(36);
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
