import type { Clock } from '../../base/index.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

/** Requests of one HTTP/2 connection before it shows a valid credential. */
const OWN: Rate = { burst: 300, perSecond: 100 };
/** Those of all such connections together. */
const ALL: Rate = { burst: 5000, perSecond: 1000 };
/** What each connection may still ask when all of them together ask too much. */
const SHARE = 20;
/** Requests begun in one turn of the event loop; a request that is refused takes up to 0.1 ms. */
const AT_ONCE = 32;
/** Requests waiting for their turn; above it a connection that has had its share is cut off. */
const WAITING_MAX = 2000;

/** What one untrusted connection has asked. */
export interface RequestAccount {
  readonly own: TokenBucket;
  count: number;
}

/** A request that has come. */
export interface ArrivedRequest {
  /** True once its client has taken it back. */
  readonly isGone: () => boolean;
  readonly begin: () => void;
}

/**
 * Requests on HTTP/2 connections that have shown no valid credential: one read of the socket may bring thousands of them, each
 * reset at once, and every one costs the work of a request. They are counted for the connection and for all, and only some
 * begin in one turn of the event loop, so that others are served in between.
 */
export class UntrustedRequests {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #defer: (work: () => void) => void;
  readonly #all: TokenBucket;
  #begun = 0;
  #isArmed = false;
  #waiting: ArrivedRequest[] = [];

  /** `defer` runs its work in the next turn of the event loop, such as setImmediate. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, defer: (work: () => void) => void) {
    this.#clock = clock;
    this.#defer = defer;
    this.#all = new TokenBucket(ALL, clock.monotonicMs());
  }

  open(): RequestAccount {
    return { own: new TokenBucket(OWN, this.#clock.monotonicMs()), count: 0 };
  }

  /** Counts a request; false when the connection must be ended. */
  count(account: RequestAccount): boolean {
    const nowMs = this.#clock.monotonicMs();
    account.count += 1;
    const isWithinOwn = account.own.take(nowMs);
    const isWithinAll = this.#all.take(nowMs) && this.#waiting.length < WAITING_MAX;
    return isWithinOwn && (isWithinAll || account.own.used(nowMs) <= SHARE);
  }

  /** The connection showed a valid credential: what it asked so far was not a flood. */
  close(account: RequestAccount): void {
    this.#all.giveBack(account.count);
  }

  /** Begins the request now, or in one of the next turns of the event loop when this one has begun enough. */
  run(request: ArrivedRequest): void {
    if (!this.#isArmed) {
      this.#isArmed = true;
      this.#defer(this.#nextTurn);
    }
    if (this.#begun >= AT_ONCE || this.#waiting.length > 0) this.#waiting.push(request);
    else {
      this.#begun += 1;
      request.begin();
    }
  }

  readonly #nextTurn = (): void => {
    this.#begun = 0;
    this.#isArmed = this.#waiting.length > 0;
    if (!this.#isArmed) return;
    this.#defer(this.#nextTurn);
    const wanted = this.#waiting.filter((request) => !request.isGone());
    this.#waiting = wanted.splice(AT_ONCE);
    this.#begun = wanted.length;
    for (const request of wanted) request.begin();
  };
}
