import { EVENT, type SessionEvent } from '../contract.ts';
import { isText } from './cut-events.ts';

/** Bounds of one lagging reader (`limits.streamBufferEvents`, `limits.streamBufferBytes`). */
export interface BufferLimits {
  readonly events: number;
  readonly bytes: number;
}

/** Rough cost of an event without its content: names, ids, frame. */
const EVENT_BYTES = 256;

/** Bounds of a reader that follows many sessions: each may have something waiting besides. */
export const limitsFor = (limits: BufferLimits, sessions: number): BufferLimits => ({
  events: limits.events + 2 * (sessions - 1),
  bytes: limits.bytes + 2 * EVENT_BYTES * (sessions - 1),
});

/**
 * Events that wait for a lagging reader. DELTAs of one part kind and message that follow each other in their session become
 * one, whatever other sessions of a batch do between them; `push` answers false once a bound is passed,
 * and then nothing more may be pushed.
 */
export class EventBuffer {
  readonly #limits: BufferLimits;
  #events: SessionEvent[] = [];
  /** Where the newest waiting event of each session is. */
  readonly #newest = new Map<string, number>();
  #first = 0;
  #bytes = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#events.length - this.#first;
  }

  push(event: SessionEvent): boolean {
    const index = this.#newest.get(event.sessionId) ?? -1;
    const last = index < this.#first ? undefined : this.#events[index];
    if (last !== undefined && joins(last, event)) {
      this.#events[index] = join(last, event);
      this.#bytes += (event.part?.content ?? '').length;
    } else {
      this.#newest.set(event.sessionId, this.#events.length);
      this.#events.push(event);
      this.#bytes += bytesOf(event);
    }
    return this.size <= this.#limits.events && this.#bytes <= this.#limits.bytes;
  }

  shift(): SessionEvent | undefined {
    const event = this.#events[this.#first];
    if (event === undefined) return undefined;
    this.#first += 1;
    this.#bytes -= bytesOf(event);
    if (this.#first === this.#events.length) {
      this.#events = [];
      this.#newest.clear();
      this.#first = 0;
      this.#bytes = 0;
    }
    return event;
  }
}

const bytesOf = (event: SessionEvent): number => {
  const { part } = event;
  if (part === undefined) return EVENT_BYTES;
  const payload = part.payload === undefined ? 0 : JSON.stringify(part.payload).length;
  return EVENT_BYTES + (part.content?.length ?? 0) + payload;
};

const joins = (last: SessionEvent, event: SessionEvent): boolean =>
  event.kind === EVENT.DELTA &&
  last.kind === EVENT.DELTA &&
  isText(last.part) &&
  last.part?.type === event.part?.type &&
  last.part?.id === event.part?.id &&
  last.messageId === event.messageId &&
  last.fence === event.fence;

const join = (last: SessionEvent, event: SessionEvent): SessionEvent => {
  if (last.part === undefined) return event;
  const content = (last.part.content ?? '') + (event.part?.content ?? '');
  return { ...event, part: { ...last.part, content }, units: last.units + event.units, timestamp: last.timestamp };
};
