import type { TurnRow } from '../../store/contracts/index.ts';
import { EVENT, type EventKind, type Part, SEQUENCE_BASE, type SessionEvent } from './contract.ts';
import { unitsOf } from './turn-record.ts';

type TurnNames = Pick<TurnRow, 'namespace' | 'agent' | 'sessionId' | 'id'>;

/** Numbers the events of one turn under one fence: sequence = fence x 2^24 + units so far. */
export class EventSequencer {
  readonly #names: TurnNames;
  readonly fence: number;
  readonly attempt: number;
  #units = 0;

  /** `unitsBefore`: units that others sent under the same fence. */
  constructor(names: TurnNames, fence: number, facts: { readonly attempt: number; readonly unitsBefore?: number }) {
    this.#names = names;
    this.fence = fence;
    this.attempt = facts.attempt;
    this.#units = facts.unitsBefore ?? 0;
  }

  get sequence(): number {
    return this.fence * SEQUENCE_BASE + this.#units;
  }

  delta(messageId: string, part: Part, timestamp: number): SessionEvent {
    return this.#next({ kind: EVENT.DELTA, messageId, part, timestamp, reason: '' }, unitsOf(part));
  }

  reset(messageId: string, reason: string, timestamp: number): SessionEvent {
    return this.#next({ kind: EVENT.RESET, messageId, timestamp, reason }, 1);
  }

  /** DONE without a part, or ERROR with the stored ERROR part. */
  terminal(end: {
    readonly messageId: string;
    readonly reason: string;
    readonly part: Part | undefined;
    readonly timestamp: number;
  }): SessionEvent {
    const { messageId, reason, part, timestamp } = end;
    return part === undefined
      ? this.#next({ kind: EVENT.DONE, messageId, timestamp, reason }, 1)
      : this.#next({ kind: EVENT.ERROR, messageId, part, timestamp, reason }, 1);
  }

  #next(
    event: {
      readonly kind: EventKind;
      readonly messageId: string;
      readonly part?: Part;
      readonly timestamp: number;
      readonly reason: string;
    },
    units: number,
  ): SessionEvent {
    this.#units += units;
    const { namespace, agent, sessionId, id: turnId } = this.#names;
    return {
      namespace,
      agent,
      sessionId,
      turnId,
      attempt: this.attempt,
      fence: this.fence,
      sequence: this.sequence,
      units,
      ...event,
    };
  }
}
