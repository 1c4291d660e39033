import type { Session } from './session.ts';

/** One connection that many callers share. */
interface Lane {
  readonly session: Promise<Session>;
  /** Set once the connection is there. */
  opened: Session | undefined;
  inFlight: number;
}

/**
 * Connections for statements that stand alone: many are under way on each, so that what comes in one step of the program
 * leaves in one piece and no caller waits for a connection. A lost one is replaced when next needed.
 */
export class Lanes {
  readonly #limit: number;
  readonly #acquire: () => Promise<Session>;
  readonly #open: Lane[] = [];
  #isClosed = false;

  constructor(limit: number, acquire: () => Promise<Session>) {
    this.#limit = limit;
    this.#acquire = acquire;
  }

  /** Runs one statement on the connection with the fewest under way. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const lane = this.#pick();
    lane.inFlight++;
    try {
      return await work(await lane.session);
    } finally {
      lane.inFlight--;
      if (this.#isClosed || lane.opened?.lost !== undefined) this.#drop(lane);
    }
  }

  /** Gives the connections back once nothing is under way on them. */
  close(): void {
    this.#isClosed = true;
    for (const lane of [...this.#open]) this.#drop(lane);
  }

  #pick(): Lane {
    for (const lane of [...this.#open]) if (lane.opened?.lost !== undefined) this.#drop(lane);
    const freest = this.#open.reduce<Lane | undefined>(
      (best, lane) => (best === undefined || lane.inFlight < best.inFlight ? lane : best),
      undefined,
    );
    if (freest !== undefined && (freest.inFlight === 0 || this.#open.length >= this.#limit)) return freest;
    return this.#add();
  }

  #add(): Lane {
    const lane: Lane = { session: this.#acquire(), opened: undefined, inFlight: 0 };
    this.#open.push(lane);
    lane.session.then(
      (session) => {
        lane.opened = session;
      },
      () => this.#forget(lane),
    );
    return lane;
  }

  #drop(lane: Lane): void {
    this.#forget(lane);
    if (lane.inFlight > 0 || lane.opened === undefined) return;
    lane.opened.release(false);
    lane.opened = undefined;
  }

  #forget(lane: Lane): void {
    const place = this.#open.indexOf(lane);
    if (place !== -1) this.#open.splice(place, 1);
  }
}
