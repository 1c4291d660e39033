import { createHash } from 'node:crypto';

/** Digits of the numbers in a cursor. */
const RADIX = 36;
/** Characters that tell one store from another. */
const STORE_CHARS = 8;
/** Characters of an id that tell what a cursor belongs to. */
const OWNER_CHARS = 12;

/** The mark of a store, the end of its owner's id, then numbers. */
const SHAPE = /^([\w-]{8})([0-9a-f]{12})((?:-[0-9a-z]+)+)$/;

/** What the text of a cursor says. */
export interface CursorParts {
  /** From another store, or from before this one was restored. */
  readonly isForeign: boolean;
  /** As many as were asked for; the last one is the place. */
  readonly numbers: readonly number[];
}

/**
 * Cursors of the streams of one store: opaque text, valid on every node of it. Clients keep cursors for as long as they like, so
 * text that was handed out once has to stay readable.
 */
export class Cursors {
  readonly #store: string;

  constructor(storeEpoch: string) {
    this.#store = createHash('sha256').update(storeEpoch).digest('base64url').slice(0, STORE_CHARS);
  }

  /** Everything of a cursor but its place: whose it is, by a UUID, and numbers that do not change along the stream. */
  prefix(ownerId: string, ...fixed: readonly number[]): string {
    const numbers = fixed.map((number) => `${number.toString(RADIX)}-`).join('');
    return `${this.#store}${ownerId.slice(-OWNER_CHARS)}-${numbers}`;
  }

  /** Undefined for text that is not a cursor of this owner with that many numbers. */
  read(text: string, ownerId: string, count: number): CursorParts | undefined {
    const match = SHAPE.exec(text);
    const numbers = (match?.[3] ?? '').slice(1).split('-');
    const place = Number.parseInt(numbers.at(-1) ?? '', RADIX);
    if (match === null || match[2] !== ownerId.slice(-OWNER_CHARS)) return undefined;
    if (numbers.length !== count || !Number.isSafeInteger(place)) return undefined;
    return { isForeign: match[1] !== this.#store, numbers: numbers.map((number) => Number.parseInt(number, RADIX)) };
  }
}

/** Cursor texts along one feed. The newest is kept, because the readers of an event ask for it one after the other. */
export class CursorLine {
  readonly #prefix: string;
  #position = Number.NaN;
  #text = '';

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  at(position: number): string {
    if (position !== this.#position) {
      this.#position = position;
      this.#text = this.#prefix + position.toString(RADIX);
    }
    return this.#text;
  }

  /** The place in a text of this line; undefined for any other text. */
  read(text: string): number | undefined {
    const digits = text.startsWith(this.#prefix) ? text.slice(this.#prefix.length) : '';
    return /^[0-9a-z]{1,10}$/.test(digits) ? Number.parseInt(digits, RADIX) : undefined;
  }
}
