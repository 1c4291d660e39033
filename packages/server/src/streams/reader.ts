import { Fault, inTurns, type Steps } from '../base/index.ts';
import type { Feed } from './feed.ts';
import type { Sink } from './sink.ts';
import { limitsFor, type ReaderLimits, WaitingEvents } from './waiting-events.ts';

/** What follows something for a reader, and is let go as the reader ends. */
export interface ReaderMember {
  /** Cursor of everything seen so far, '' when not known. */
  readonly place: string;
  leave(): void;
}

/** How a reader treats its client; one object may serve many readers. */
export interface ReaderRules<E> extends ReaderLimits {
  /** Called once, as a reader ends; without a fault for an OK end. */
  ended?(reader: Reader<E>, fault: unknown): void;
  /** Where present, nothing waits for a client that lags: what comes meanwhile is dropped, and this called once it has caught up. */
  caughtUp?(): void;
}

/** Members of an ended reader that leave before others get a turn of the event loop. */
const LEAVES_PER_TURN = 200;

function* leaving(members: readonly ReaderMember[]): Steps<void> {
  for (const member of members) {
    member.leave();
    yield;
  }
}

/**
 * One open stream: what waits while its client lags, and how it ends. It follows one feed, or many, each through a member.
 * What a lagging client has not taken waits within bounds; beyond them it still gets that, and then SLOW_CONSUMER with the
 * cursor to resume from. While the client keeps up a reader holds no event and makes no promise.
 */
export class Reader<E> {
  readonly #sink: Sink<E>;
  readonly #rules: ReaderRules<E>;
  /** Undefined while the client keeps up. */
  #waiting: WaitingEvents<E> | undefined;
  /** What waits for the client to catch up. */
  #caughtUp: PromiseWithResolvers<void> | undefined;
  #watchesDrain = false;
  /** Undefined for none, so that the first one makes a list of one: most readers have no other. */
  #members: ReaderMember[] | undefined;
  /** Members of the reader in all, those to come included. */
  #size = 0;
  /** Of them, the ones that may still have something to say. */
  #open = 0;
  #lastCursor = '';
  #isEnded = false;
  /** Settles the promise of `run`. */
  #settle: ((fault: unknown) => void) | undefined;

  constructor(sink: Sink<E>, rules: ReaderRules<E>) {
    this.#sink = sink;
    this.#rules = rules;
  }

  get ended(): boolean {
    return this.#isEnded;
  }

  /** True while events wait for the client. */
  get isLagging(): boolean {
    return this.#waiting !== undefined;
  }

  /** Where the stream can be resumed: with one feed behind all that was seen of it, else at the last event that was sent. */
  get place(): string {
    const [only] = this.#members ?? [];
    const place = this.#members?.length === 1 && only !== undefined && !this.isLagging ? only.place : '';
    return place === '' ? this.#lastCursor : place;
  }

  /**
   * From the start to the end of a stream: `begin` subscribes and starts what it follows. Resolves at an OK end or as `signal`
   * aborts; rejects with what `begin` throws or with the fault that ended the stream. `begin` has to look at `ended` after
   * each wait. Called once. One promise and no suspended function: thousands of idle streams hold these.
   */
  run(signal: AbortSignal, begin: () => Promise<void>): Promise<void> {
    if (signal.aborted) {
      this.end();
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const stop = (): void => this.end();
      signal.addEventListener('abort', stop);
      this.#settle = (fault) => {
        signal.removeEventListener('abort', stop);
        if (fault === undefined) resolve();
        else reject(fault);
      };
      begin().catch((error: unknown) => this.end(error));
    });
  }

  /** Says how many members are adopted one by one: the reader does not end while some are to come. */
  expect(members: number): void {
    this.#size = members;
    this.#open = members;
  }

  /** Takes a member in, which must already listen; it leaves at once when the reader has ended. */
  adopt(member: ReaderMember): void {
    if (this.#isEnded) member.leave();
    else if (this.#members === undefined) this.#members = [member];
    else this.#members.push(member);
  }

  /** Sends an event, or keeps it for a client that lags. An event that cannot be sent ends the stream: no gap is left. */
  send(event: E, feed: Feed<E>): void {
    if (this.#isEnded) return;
    if (this.#waiting === undefined) {
      if (!this.#pass(event, feed)) this.#lag();
      return;
    }
    if (this.#rules.caughtUp === undefined && !this.#waiting.push(event, feed)) this.#endSlow();
  }

  /** Undefined while the client keeps up; otherwise resolves when it has taken what waits, or when the reader ends. */
  ready(): Promise<void> | undefined {
    if (this.#waiting === undefined) return undefined;
    this.#caughtUp ??= Promise.withResolvers<void>();
    return this.#caughtUp.promise;
  }

  /** Events sent by `work`, which waits for nothing, leave in one write where that is possible. */
  together(work: () => void): void {
    if (this.#sink.together === undefined || this.#isEnded) work();
    else this.#sink.together(work);
  }

  /** One member needs no more events; the reader ends OK after the last one. */
  memberDone(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#waiting === undefined) this.end();
  }

  /** Ends the stream: OK without a fault. Later sends are dropped. */
  end(fault?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#noteCaughtUp();
    void inTurns(leaving(this.#members ?? []), LEAVES_PER_TURN);
    this.#members = undefined;
    this.#rules.ended?.(this, fault);
    this.#settle?.(fault);
  }

  /** False when the client lags from now on. */
  #pass(event: E, feed: Feed<E>): boolean {
    try {
      this.#lastCursor = feed.cursor(feed.position(event));
      return this.#sink.send(event, this.#lastCursor);
    } catch (error) {
      this.end(error);
      return true;
    }
  }

  #lag(): void {
    this.#waiting = new WaitingEvents(limitsFor(this.#rules, Math.max(1, this.#size)));
    if (this.#watchesDrain) return;
    this.#watchesDrain = true;
    this.#sink.onDrained(() => this.#drain());
  }

  #drain(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || this.#isEnded) return;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!this.#pass(next.event, next.feed)) return;
      if (this.#isEnded) return;
    }
    this.#noteCaughtUp();
    this.#rules.caughtUp?.();
    if (this.#size > 0 && this.#open === 0) this.end();
  }

  #noteCaughtUp(): void {
    this.#waiting = undefined;
    this.#caughtUp?.resolve();
    this.#caughtUp = undefined;
  }

  /** What waits still goes out, then the fault that names the last of it. */
  #endSlow(): void {
    const waiting = this.#waiting;
    for (let next = waiting?.shift(); next !== undefined && !this.#isEnded; next = waiting?.shift())
      this.#pass(next.event, next.feed);
    const metadata = { cursor: this.#lastCursor };
    this.end(new Fault('ABORTED', 'SLOW_CONSUMER', 'the reader is too slow: resume from the cursor', { metadata }));
  }
}

/** Ends a stream of a node that stops; the client resumes elsewhere after the cursor. */
export const shuttingDown = (cursor: string): Fault =>
  new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the server is shutting down: resume from the cursor elsewhere', {
    metadata: { cursor },
  });
