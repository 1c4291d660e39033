import type { Clock } from '../../base/index.ts';
import type { Bus, TurnRow } from '../../store/contracts/index.ts';
import type { TurnClaim } from '../claim/index.ts';
import { eventSubject, type Part, type PlacedPart, type SessionEvent } from '../contract.ts';
import { EventSequencer, publicPart } from '../record/index.ts';

/** What showing a turn uses. */
export interface ShowPorts {
  readonly bus: Pick<Bus, 'publish'>;
  readonly clock: Clock;
}

/** What followers of a turn have seen under this claim: its events, numbered, and the whole parts among them. */
export class ShownTurn {
  readonly #row: TurnRow;
  readonly #claim: Pick<TurnClaim, 'lost'>;
  readonly #ports: ShowPorts;
  readonly #subject: string;
  #sequencer: EventSequencer;
  /** In recorded order. */
  #parts: PlacedPart[] = [];

  constructor(row: TurnRow, claim: Pick<TurnClaim, 'lost'>, ports: ShowPorts) {
    this.#row = row;
    this.#claim = claim;
    this.#ports = ports;
    this.#subject = eventSubject(row.sessionId);
    this.#sequencer = new EventSequencer(row, row.fence, { attempt: row.attempt });
  }

  /** Numbers the events of the fence under way. */
  get sequencer(): EventSequencer {
    return this.#sequencer;
  }

  /** Parts that were published whole, in recorded order. */
  get parts(): readonly PlacedPart[] {
    return this.#parts;
  }

  /** Publishes one whole part of the turn. */
  show(placed: PlacedPart): void {
    this.#parts.push(placed);
    this.#emit(this.#sequencer.delta(placed.messageId, publicPart(placed.part), this.#ports.clock.nowMicros()));
  }

  /** A part was shown already, piece by piece or under an earlier fence. */
  noteShown(placed: PlacedPart): void {
    this.#parts.push(placed);
  }

  /** RESET for one message, then its recorded parts again. */
  reset(messageId: string, recorded: readonly PlacedPart[], reason: string): void {
    this.#emit(this.#sequencer.reset(messageId, reason, this.#ports.clock.nowMicros()));
    this.#parts = recorded.filter((entry) => entry.messageId !== messageId);
    for (const placed of recorded) if (placed.messageId === messageId) this.show(placed);
  }

  /** The turn moved to another fence and attempt: its events have numbers of their own. */
  moveTo(fence: number, attempt: number): void {
    this.#sequencer = new EventSequencer(this.#row, fence, { attempt });
  }

  /**
   * After the final commit: what followers lack, the terminal event, then those of turns stopped meanwhile. A worker that
   * was away so long that its claim ran out shows nothing: followers have it from the turn row by now.
   */
  end(
    messageId: string,
    end: {
      readonly unshown: readonly PlacedPart[];
      readonly reason: string;
      readonly error: Part | undefined;
      readonly others: readonly SessionEvent[];
    },
  ): void {
    if (this.#claim.lost) return;
    const { bus, clock } = this.#ports;
    const timestamp = clock.nowMicros();
    const { reason, error: part } = end;
    for (const entry of end.unshown)
      bus.publish(this.#subject, this.#sequencer.delta(entry.messageId, publicPart(entry.part), timestamp));
    bus.publish(this.#subject, this.#sequencer.terminal({ messageId, reason, part, timestamp }));
    for (const event of end.others) bus.publish(this.#subject, event);
  }

  /** Publishes an event, unless the claim was lost: the worker that took over shows the rest. */
  #emit(event: SessionEvent): void {
    if (!this.#claim.lost) this.#ports.bus.publish(this.#subject, event);
  }
}
