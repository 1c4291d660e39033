import process from 'node:process';
import type { CancelTimer, Clock } from '../../../base/index.ts';
import type { Bus } from '../../../store/contracts/index.ts';
import {
  eventSubject,
  type ObjectData,
  PART,
  type Part,
  type PartType,
  type PlacedPart,
  type SessionEvent,
} from '../../contract.ts';
import { type EventSequencer, partId } from '../../record/index.ts';
import type { DeltaPressure } from './delta-pressure.ts';
import type { AskedCall } from './model-answer.ts';

/** Shortest time between two text events of one part while the process is busy; what comes sooner is merged. */
const COALESCE_MS = 20;

type TextType = typeof PART.TEXT | typeof PART.REASONING;

interface OpenText {
  readonly id: string;
  readonly type: TextType;
  readonly createdAt: number;
  /** Whole text so far, and its end that was not sent yet. */
  text: string;
  unsent: string;
  /** Pieces that `text` was put together from. */
  pieces: number;
  continuation?: unknown;
}

const NO_TEXT = { text: '', unsent: '', pieces: 0 };

/** Id and time are given by the writer. */
const EMPTY_REASONING: Part = { id: '', type: PART.REASONING, content: '', createdAt: 0 };

/** Pieces after which the chain they make in memory becomes one string. */
const FLAT_EVERY = 16;

const append = (open: OpenText, piece: string): void => {
  open.text += piece;
  open.unsent += piece;
  open.pieces += 1;
  // A text that grows piece by piece is a chain of its pieces, twice their size, until one of its characters is read.
  if (open.pieces % FLAT_EVERY === 0) open.text.charCodeAt(0);
};

/** What a writer uses. */
export interface WriterPorts {
  readonly clock: Clock;
  /** Whether the process is too busy to send each piece of text by itself. */
  readonly pressure: DeltaPressure;
  readonly bus: Pick<Bus, 'publish'>;
}

/**
 * Writes the parts of one step: text and reasoning go live in pieces and are kept whole, in the model's order, so that what
 * clients saw equals what is stored. It numbers parts after the ones recorded before. Nothing here is durable; the caller
 * records `parts()`.
 */
export class PartWriter {
  readonly #clock: Clock;
  readonly #pressure: DeltaPressure;
  readonly #bus: Pick<Bus, 'publish'>;
  readonly #sequencer: EventSequencer;
  readonly #subject: string;
  readonly #messageId: string;
  #index: number;
  #done: Part[] = [];
  #reserved: Part[] = [];
  #open: OpenText | undefined;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #timer: CancelTimer | undefined;
  /** True while the pieces of the read in progress are collected. */
  #isCollecting = false;
  #silent = false;
  /** The call that brings this answer; set before its first piece. */
  call: AskedCall | undefined;
  readonly #isLost: () => boolean;

  constructor(
    options: WriterPorts & {
      /** True once the claim is gone: nothing more may be sent. */
      readonly isLost: () => boolean;
      readonly sequencer: EventSequencer;
      readonly sessionId: string;
      readonly messageId: string;
      readonly firstIndex: number;
    },
  ) {
    this.#clock = options.clock;
    this.#pressure = options.pressure;
    this.#bus = options.bus;
    this.#sequencer = options.sequencer;
    this.#subject = eventSubject(options.sessionId);
    this.#messageId = options.messageId;
    this.#index = options.firstIndex;
    this.#isLost = options.isLost;
  }

  /** A piece of text or reasoning as it arrives. */
  text(type: TextType, piece: string): void {
    if (piece === '' || this.#silent) return;
    if (this.#open === undefined || this.#open.type !== type) {
      this.#close();
      this.#open = { id: partId(this.#index++), type, createdAt: this.#clock.nowMicros(), ...NO_TEXT };
    }
    append(this.#open, piece);
    this.#offer();
  }

  /**
   * The reasoning ended, with what the provider wants back. Providers send that at the end of the answer too, behind its
   * text: it belongs to the last reasoning of the step. Without any it gets an empty part, behind what is open.
   */
  endReasoning(continuation: unknown): void {
    if (this.#open?.type === PART.REASONING) {
      if (continuation !== undefined) this.#open.continuation = continuation;
      this.#close();
      return;
    }
    if (continuation === undefined) return;
    const index = this.#done.findLastIndex((part) => part.type === PART.REASONING);
    const last = this.#done[index];
    if (last === undefined) this.#done.push(this.#place({ ...EMPTY_REASONING, continuation }));
    else this.#done[index] = { ...last, continuation };
  }

  media(object: ObjectData, type: PartType): Part {
    const part: Part = { id: '', type, name: object.filename, object, createdAt: 0 };
    return this.whole(part);
  }

  /** A part that is sent as one event at once; its id and time are given here. */
  whole(part: Part): Part {
    const placed = this.#place(part);
    this.#done.push(placed);
    this.#publish(this.#sequencer.delta(this.#messageId, placed, this.#clock.nowMicros()));
    return placed;
  }

  /** Gives a part its id without sending it: recorded first, shown by the caller after the commit. */
  reserve(part: Part): Part {
    const placed = this.#place(part);
    this.#reserved.push(placed);
    return placed;
  }

  /** The part with its id and time, after whatever was open. */
  #place(part: Part): Part {
    this.#close();
    const createdAt = part.createdAt === 0 ? this.#clock.nowMicros() : part.createdAt;
    return { ...part, id: partId(this.#index++), createdAt };
  }

  /** Sends what waits; afterwards every part is complete. */
  flush(): void {
    this.#close();
  }

  /** Drops what waits and sends nothing more: the claim is lost. */
  silence(): void {
    this.#silent = true;
    this.#timer?.();
    this.#timer = undefined;
  }

  /** Parts of this step so far, the open one included, as they would be stored. */
  parts(): Part[] {
    const open = this.#open;
    return open === undefined
      ? [...this.#done, ...this.#reserved]
      : [...this.#done, this.#asPart(open, open.text), ...this.#reserved];
  }

  /** As `parts`, cut to what was published: the live view of followers. */
  shown(): PlacedPart[] {
    const placed = this.#done.map((part) => ({ messageId: this.#messageId, part }));
    const open = this.#open;
    const sent = open === undefined ? 0 : open.text.length - open.unsent.length;
    if (open !== undefined && sent > 0)
      placed.push({ messageId: this.#messageId, part: this.#asPart(open, open.text.slice(0, sent)) });
    return placed;
  }

  #asPart(open: OpenText, content: string): Part {
    const part = { id: open.id, type: open.type, content, createdAt: open.createdAt };
    return open.continuation === undefined ? part : { ...part, continuation: open.continuation };
  }

  #offer(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#pressure.count(nowMs);
    if (this.#timer !== undefined || this.#isCollecting) return;
    const waited = nowMs - this.#lastSentMs;
    if (waited < COALESCE_MS && this.#pressure.isHigh(nowMs)) {
      this.#timer = this.#clock.after(COALESCE_MS - waited, this.#onTimer);
      return;
    }
    // A read from the model may hold many pieces. Each comes by a promise that is settled already, so this runs behind the last one.
    this.#isCollecting = true;
    process.nextTick(this.#onCollected);
  }

  readonly #onCollected = (): void => {
    this.#isCollecting = false;
    if (this.#timer === undefined) this.#send();
  };

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#send();
  };

  #send(): void {
    const open = this.#open;
    if (open === undefined || open.unsent === '' || this.#silent) return;
    const piece = open.unsent;
    open.unsent = '';
    this.#lastSentMs = this.#clock.monotonicMs();
    const part: Part = { id: open.id, type: open.type, content: piece, createdAt: open.createdAt };
    this.#publish(this.#sequencer.delta(this.#messageId, part, this.#clock.nowMicros()));
  }

  #close(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#send();
    const open = this.#open;
    if (open === undefined) return;
    this.#done.push(this.#asPart(open, open.text));
    this.#open = undefined;
  }

  #publish(event: SessionEvent): void {
    if (!this.#silent && !this.#isLost()) this.#bus.publish(this.#subject, event);
  }
}
