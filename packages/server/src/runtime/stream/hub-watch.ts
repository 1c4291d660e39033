import type { CancelTimer, Clock, Log } from '../../base/index.ts';
import type { AdmissionMark, SessionStanding, Store } from '../../store/contracts/index.ts';
import type { LiveTurns } from '../contract.ts';
import { restingPosition } from './session-feed.ts';
import type { SessionHub } from './session-hub.ts';

export interface HubWatchDeps {
  readonly store: Pick<Store, 'direct'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly liveTurns: LiveTurns;
  /** Other processes may run turns of the same store, and no bus tells of them. */
  readonly isShared: boolean;
  /** The hub of a session that is followed here. */
  readonly hub: (session: Names) => SessionHub | undefined;
  /** The session is gone. */
  readonly deleted: (hub: SessionHub) => void;
}

interface Names {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
}

/** How often the store is asked: what another process stored is shown within 2 s. */
const CHECK_MS = 1_000;
/** Admitted turns, and sessions, in one statement. */
const PAGE = 1_000;

/**
 * Finds in the store what the bus did not bring to the hubs of this process. It checks the sessions in which a turn is
 * open, one statement for all of them, and only when none of their events came lately. Where other processes write to the
 * same store it also reads which turns were admitted: work for each turn, none for each idle stream. Without a hub to
 * watch it has no timer.
 */
export class HubWatch {
  readonly #deps: HubWatchDeps;
  readonly #watched = new Set<SessionHub>();
  /** Hubs with followers; counted only where turns of others have to be found. */
  #followed = 0;
  #mark: AdmissionMark | undefined;
  #starting: Promise<void> | undefined;
  #timer: CancelTimer | undefined;
  #isChecking = false;
  #isClosed = false;

  constructor(deps: HubWatchDeps) {
    this.#deps = deps;
  }

  /** Resolves when turns admitted from now on will be found. */
  async ready(): Promise<void> {
    if (!this.#deps.isShared || this.#mark !== undefined) return;
    this.#starting ??= this.#readAdmitted().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  /** The session has its first follower. */
  added(): void {
    this.#followed += 1;
    this.#schedule();
  }

  /** The last follower left. */
  dropped(hub: SessionHub): void {
    this.#followed -= 1;
    this.#watched.delete(hub);
  }

  /** A turn began or ended to run in the session, as its events say. */
  runningChanged(hub: SessionHub): void {
    if (hub.running) this.#watched.add(hub);
    // Another turn may wait behind the one that ended, for any process.
    else if (!this.#deps.isShared) this.#watched.delete(hub);
    this.#schedule();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.();
  }

  /** Called by the timer, and by tests. */
  async check(): Promise<void> {
    if (this.#deps.isShared) await this.#readAdmitted();
    const quiet: SessionHub[] = [];
    for (const hub of this.#watched) {
      const isFresh = hub.isFresh;
      hub.isFresh = false;
      if (!isFresh && this.#deps.liveTurns.live(hub.sessionId) === undefined) quiet.push(hub);
    }
    for (let start = 0; start < quiet.length; start += PAGE) await this.#checkPage(quiet.slice(start, start + PAGE));
  }

  get #hasWork(): boolean {
    return this.#watched.size > 0 || (this.#deps.isShared && this.#followed > 0);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isChecking || this.#isClosed || !this.#hasWork) return;
    this.#timer = this.#deps.clock.after(CHECK_MS, () => {
      this.#timer = undefined;
      // What is admitted while no stream is open concerns no stream.
      if (!this.#hasWork) this.#mark = undefined;
      else this.#checkOnce();
    });
  }

  #checkOnce(): void {
    this.#isChecking = true;
    this.check()
      .catch((error: unknown) => this.#deps.log.warn('checking followed sessions failed', { reason: String(error) }))
      .finally(() => {
        this.#isChecking = false;
        this.#schedule();
      });
  }

  async #readAdmitted(): Promise<void> {
    for (;;) {
      const { sessions, mark } = await this.#deps.store.direct.log.newTurns(this.#mark, PAGE);
      this.#mark = mark;
      for (const session of sessions) {
        const hub = this.#deps.hub(session);
        if (hub !== undefined) this.#watched.add(hub);
      }
      if (sessions.length < PAGE) return;
    }
  }

  async #checkPage(hubs: readonly SessionHub[]): Promise<void> {
    const found = await this.#deps.store.direct.log.standings(hubs.map((hub) => hub.sessionId));
    const standings = new Map(found.map((standing) => [standing.id, standing]));
    for (const hub of hubs) {
      const standing = standings.get(hub.sessionId);
      if (standing === undefined) this.#deps.deleted(hub);
      else this.#compare(hub, standing);
    }
  }

  #compare(hub: SessionHub, standing: SessionStanding): void {
    const known = restingPosition(standing);
    const recorded = standing.recorded === 0 ? '' : `${standing.activeTurnId} ${standing.recorded}`;
    if (known > hub.seen || (recorded !== '' && recorded !== hub.recorded)) hub.lost();
    hub.seen = Math.max(hub.seen, known);
    hub.recorded = recorded;
    // A parked turn of this process wakes with an event. One of another process sends none.
    const isResting = standing.activeTurnId === '' || standing.state === 'WAITING';
    if (standing.openTurns > 0 && (this.#deps.isShared || !isResting)) return;
    hub.setRunning(false);
    this.#watched.delete(hub);
  }
}
