import { type Fault, notFound } from '../../base/index.ts';
import type { MessageRow, ReadTx, SessionRow, Store, TurnRow } from '../../store/contracts/index.ts';
import type { CursorLine, Feed, FeedSlice } from '../../streams/index.ts';
import { EVENT, type LiveTurn, type LiveTurns, SEQUENCE_BASE, type SessionEvent } from '../contract.ts';
import { isTurnOver, parseBody } from '../record/index.ts';
import type { CursorCodec } from './cursor.ts';
import { cutEvents } from './cut-events.ts';
import { contentBytes, joinEvents } from './joined-events.ts';
import { type TurnView, viewOfJournal, viewOfLive, viewOfMessages } from './turn-view.ts';

/** Where events of a session come from other than the bus. */
export interface EventSource {
  readonly store: Pick<Store, 'read' | 'direct' | 'now'>;
  readonly liveTurns: LiveTurns;
  /** Asks the other processes for a turn that one of them runs; absent with one process. */
  readonly remoteLive?: (sessionId: string) => Promise<LiveTurn | undefined>;
}

const TURN_PAGE = 100;

/** Where the session is when no turn runs: everything at or below this has been sent. */
export const restingPosition = (session: Pick<SessionRow, 'lastSequence' | 'fence'>): number =>
  Math.max(session.lastSequence, session.fence * SEQUENCE_BASE);

/** SESSION_NOT_FOUND for a session that went while it was followed. */
export const sessionGone = (session: {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
}): Fault => notFound('Session', { ns: session.namespace, agent: session.agent, session_id: session.sessionId });

/** What one snapshot of the store holds of a session behind a position. */
interface Snapshot {
  readonly session: SessionRow;
  /** Turns that have begun, by fence. */
  readonly views: readonly TurnView[];
  /** The one turn that has begun and not ended. */
  readonly open?: {
    readonly turn: TurnRow;
    /** Its place in `views`. */
    readonly index: number;
    /** Its journal was not read: this process ran it before the snapshot was read. */
    readonly isBare: boolean;
  };
}

/** The feed of one session: what its turns sent and send, cut from what is stored and what runs here. */
export class SessionFeed implements Feed<SessionEvent> {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly #source: EventSource;
  readonly #cursors: CursorCodec;
  #epoch = 0;
  #line: CursorLine | undefined;

  constructor(
    names: { readonly namespace: string; readonly agent: string; readonly sessionId: string },
    source: EventSource,
    cursors: CursorCodec,
  ) {
    this.namespace = names.namespace;
    this.agent = names.agent;
    this.sessionId = names.sessionId;
    this.#source = source;
    this.#cursors = cursors;
  }

  /** Notes the epoch of the newest session row that was read; cursors carry it. */
  noteEpoch(epoch: number): void {
    if (epoch !== this.#epoch) this.#line = undefined;
    this.#epoch = epoch;
  }

  position(event: SessionEvent): number {
    return event.sequence;
  }

  /** The end of a turn that never started has sequence 0 and no cursor. */
  cursor(sequence: number): string {
    if (sequence === 0) return '';
    this.#line ??= this.#cursors.line(this.sessionId, this.#epoch);
    return this.#line.at(sequence);
  }

  size(event: SessionEvent): number {
    return contentBytes(event);
  }

  join(last: SessionEvent, event: SessionEvent): SessionEvent | undefined {
    return joinEvents(last, event);
  }

  /** Within a fence by count; into the next fence only from a rest: every other change of fence is a gap. */
  continues(event: SessionEvent, after: number, settled: boolean): boolean {
    const before = event.sequence - event.units;
    if (before === after) return true;
    return settled && before === (Math.floor(after / SEQUENCE_BASE) + 1) * SEQUENCE_BASE;
  }

  settles(event: SessionEvent): boolean {
    return event.kind === EVENT.DONE || event.kind === EVENT.ERROR;
  }

  async fill(after: number): Promise<FeedSlice<SessionEvent>> {
    for (;;) {
      const known = this.#source.liveTurns.live(this.sessionId);
      const snapshot = await this.#source.store.read((tx) => this.#snapshot(tx, after, known));
      this.noteEpoch(snapshot.session.epoch);
      const { open } = snapshot;
      const live = open === undefined ? undefined : await this.#running(open.turn);
      // The turn moved on between the snapshot and now, so other turns may have ended in between: the store knows.
      if (open !== undefined && live !== undefined && live.fence > open.turn.fence) continue;
      if (open !== undefined && live?.fence === open.turn.fence) return joinLive(snapshot, { ...open, live, after });
      if (open?.isBare === true) continue;
      const events = cutAll(snapshot.views, after);
      const settled = snapshot.session.activeTurnId === '';
      const reached = Math.max(after, events.at(-1)?.sequence ?? 0);
      return {
        items: events,
        position: settled ? Math.max(reached, restingPosition(snapshot.session)) : reached,
        settled,
      };
    }
  }

  /** The turn as the process that runs it knows it, this one or another. */
  async #running(turn: TurnRow): Promise<LiveTurn | undefined> {
    const here = this.#source.liveTurns.live(this.sessionId);
    if (here?.turnId === turn.id && here.fence >= turn.fence) return here;
    if (turn.state !== 'RUNNING') return undefined;
    const remote = await this.#source.remoteLive?.(this.sessionId);
    return remote?.turnId === turn.id ? remote : undefined;
  }

  /** Every turn that had begun, whatever has changed since: a turn that is queued here may run by now. */
  async #snapshot(tx: ReadTx, after: number, known: LiveTurn | undefined): Promise<Snapshot> {
    const session = await tx.log.session(this.sessionId);
    if (session === undefined) throw sessionGone(this);
    const views: TurnView[] = [];
    let open: Snapshot['open'];
    for (let fence = Math.floor(after / SEQUENCE_BASE); ; ) {
      const turns = await tx.log.turnsFromFence(this.sessionId, fence, TURN_PAGE);
      for (const turn of turns) {
        if (isTurnOver(turn)) views.push(await readEndedTurn(tx, turn));
        else {
          const isBare = known?.turnId === turn.id && known.fence >= turn.fence;
          open = { turn, index: views.length, isBare };
          views.push(viewOfJournal(turn, isBare ? [] : await tx.log.journal(turn.id)));
        }
      }
      if (turns.length < TURN_PAGE) return open === undefined ? { session, views } : { session, views, open };
      fence = (turns.at(-1)?.fence ?? fence) + 1;
    }
  }
}

/** Events of all these turns in order: fences of a turn that was recovered lie on both sides of a turn stopped meanwhile. */
const cutAll = (views: readonly TurnView[], after: number): SessionEvent[] => {
  const events = views.flatMap((view) => cutEvents(view, after));
  return views.length > 1 ? events.sort((left, right) => left.sequence - right.sequence) : events;
};

const joinLive = (
  snapshot: Snapshot,
  running: { readonly turn: TurnRow; readonly index: number; readonly live: LiveTurn; readonly after: number },
): FeedSlice<SessionEvent> => {
  const { turn, index, live, after } = running;
  const items = cutAll(snapshot.views.with(index, viewOfLive(turn, live)), after);
  return { items, position: Math.max(after, items.at(-1)?.sequence ?? 0, live.sequence), settled: false };
};

/** Reads what an ended turn stored; messages that never came to be are left out. */
export const readEndedTurn = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<TurnView> => {
  const messages: MessageRow[] = [];
  for (const id of parseBody(turn).replyMessageIds) {
    const message = await tx.log.message(turn.sessionId, id);
    if (message !== undefined) messages.push(message);
  }
  return viewOfMessages(turn, messages);
};
