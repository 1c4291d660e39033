import { type Fault, notFound } from '../../base/index.ts';
import type { MessageRow, ReadTx, SessionRow, Store, TurnRow } from '../../store/contracts/index.ts';
import type { Feed, FeedSlice } from '../../store/follow/index.ts';
import { EVENT, type LiveTurn, type LiveTurns, SEQUENCE_BASE, type SessionEvent } from '../contract.ts';
import { isTurnOver, parseBody } from '../turn-record.ts';
import { cutEvents } from './cut-events.ts';
import { type TurnView, viewOfJournal, viewOfLive, viewOfMessages } from './turn-view.ts';

/** Where events of a session come from beside the bus. */
export interface EventSource {
  readonly store: Pick<Store, 'read' | 'direct' | 'now'>;
  readonly liveTurns: LiveTurns;
  /** Asks the other processes for a turn that one of them runs; absent with one process. */
  readonly remoteLive?: (sessionId: string) => Promise<LiveTurn | undefined>;
}

const TURN_PAGE = 100;

/** Where the session stands when no turn runs: everything at or below this has been sent. */
export const restingPosition = (session: SessionRow): number =>
  Math.max(session.lastSequence, session.fence * SEQUENCE_BASE);

/** SESSION_NOT_FOUND for a session that went while it was followed. */
export const sessionGone = (session: {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
}): Fault => notFound('Session', { ns: session.namespace, agent: session.agent, session_id: session.sessionId });

interface Snapshot {
  readonly session: SessionRow;
  readonly views: readonly TurnView[];
  /** The open turn whose parts stand in this process's memory, not in `views`. */
  readonly liveTurn?: TurnRow;
  /** An open turn that another process may be running. */
  readonly remoteTurn?: TurnRow;
}

/** The feed of one session: what its turns sent and send, cut from what is stored and what runs here (RT-2.6). */
export class SessionFeed implements Feed<SessionEvent> {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly #source: EventSource;
  /** Epoch of the newest session row that was read; cursors carry it. */
  epoch = 0;

  constructor(
    names: { readonly namespace: string; readonly agent: string; readonly sessionId: string },
    source: EventSource,
  ) {
    this.namespace = names.namespace;
    this.agent = names.agent;
    this.sessionId = names.sessionId;
    this.#source = source;
  }

  position(event: SessionEvent): number {
    return event.sequence;
  }

  /** Within a fence by count; into the next fence only from a rest (RT-2.6: every other change of fence is a gap). */
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
      const snapshot = await this.#source.store.read((tx) => this.#snapshot(tx, after));
      this.epoch = snapshot.session.epoch;
      const { liveTurn, remoteTurn } = snapshot;
      const live = this.#source.liveTurns.live(this.sessionId);
      // The turn ended, or moved on, between the snapshot and now: what it recorded is in the store.
      if (liveTurn !== undefined && live?.turnId !== liveTurn.id) continue;
      const events = snapshot.views.flatMap((view) => cutEvents(view, after));
      if (liveTurn !== undefined && live !== undefined) return joinLive(events, { turn: liveTurn, live, after });
      const remote = remoteTurn === undefined ? undefined : await this.#source.remoteLive?.(this.sessionId);
      if (remoteTurn !== undefined && remote?.turnId === remoteTurn.id) {
        const ended = events.filter((event) => event.turnId !== remoteTurn.id);
        return joinLive(ended, { turn: remoteTurn, live: remote, after });
      }
      const settled = snapshot.session.activeTurnId === '';
      const reached = Math.max(after, events.at(-1)?.sequence ?? 0);
      return {
        items: events,
        position: settled ? Math.max(reached, restingPosition(snapshot.session)) : reached,
        settled,
      };
    }
  }

  async #snapshot(tx: ReadTx, after: number): Promise<Snapshot> {
    const session = await tx.log.session(this.sessionId);
    if (session === undefined) throw sessionGone(this);
    const views: TurnView[] = [];
    let fence = Math.floor(after / SEQUENCE_BASE);
    for (;;) {
      const turns = await tx.log.turnsFromFence(this.sessionId, fence, TURN_PAGE);
      for (const turn of turns) {
        if (isTurnOver(turn)) views.push(await readEndedTurn(tx, turn));
        else if (this.#source.liveTurns.live(this.sessionId)?.turnId === turn.id)
          return { session, views, liveTurn: turn };
        else {
          views.push(viewOfJournal(turn, await tx.log.journal(turn.id)));
          if (turn.state === 'RUNNING') return { session, views, remoteTurn: turn };
        }
      }
      if (turns.length < TURN_PAGE) return { session, views };
      fence = (turns.at(-1)?.fence ?? fence) + 1;
    }
  }
}

const joinLive = (
  events: readonly SessionEvent[],
  running: { readonly turn: TurnRow; readonly live: LiveTurn; readonly after: number },
): FeedSlice<SessionEvent> => {
  const { turn, live, after } = running;
  const items = [...events, ...cutEvents(viewOfLive(turn, live), after)];
  return { items, position: Math.max(after, live.sequence), settled: false };
};

/** Reads what an ended turn stored; messages that never came to be are left out (RT-R12). */
export const readEndedTurn = async (tx: Pick<ReadTx, 'log'>, turn: TurnRow): Promise<TurnView> => {
  const messages: MessageRow[] = [];
  for (const id of parseBody(turn).replyMessageIds) {
    const message = await tx.log.message(turn.sessionId, id);
    if (message !== undefined) messages.push(message);
  }
  return viewOfMessages(turn, messages);
};
