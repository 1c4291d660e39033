import type { ServerHttp2Session } from 'node:http2';
import type { CancelTimer, Clock } from '../../base/index.ts';

/** Pings every 30 s on connections with streams (API-2). */
const TICK_MS = 30_000;
/** A connection without streams is closed after this long. */
const IDLE_MS = 10 * 60_000;
/** A connection this old is asked to go away gently, so that load spreads again. */
const AGE_MS = 24 * 3_600_000;

const CONNECTION = Symbol('connection');

interface Connection {
  readonly openedMs: number;
  lastBusyMs: number;
  /** Requests since the last tick. */
  requests: number;
  /** Streamed answers that are open. */
  streams: number;
  awaitsPong: boolean;
}

interface WatchedSession extends ServerHttp2Session {
  [CONNECTION]?: Connection;
}

/** Watches all HTTP/2 connections with one timer: pings, an idle limit and an age limit; no timer while there are none. */
export class Http2Sessions {
  readonly #clock: Clock;
  readonly #sessions = new Set<WatchedSession>();
  #stop: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(session: ServerHttp2Session): void {
    const nowMs = this.#clock.monotonicMs();
    const watched: WatchedSession = session;
    watched[CONNECTION] = { openedMs: nowMs, lastBusyMs: nowMs, requests: 0, streams: 0, awaitsPong: false };
    this.#sessions.add(watched);
    session.once('close', () => {
      this.#sessions.delete(watched);
      if (this.#sessions.size === 0) this.#halt();
    });
    this.#stop ??= this.#clock.after(TICK_MS, this.#tick);
  }

  /** A request came on the connection. */
  touch(session: WatchedSession | undefined): void {
    const connection = session?.[CONNECTION];
    if (connection !== undefined) connection.requests += 1;
  }

  /** A streamed answer began (1) or ended (-1): the connection is pinged meanwhile and never idle. */
  hold(session: WatchedSession | undefined, change: 1 | -1): void {
    const connection = session?.[CONNECTION];
    if (connection !== undefined) connection.streams += change;
  }

  /** GOAWAY to every client: open streams finish, new ones are refused. */
  goAway(): void {
    for (const session of this.#sessions) if (!session.destroyed && !session.closed) session.close();
  }

  destroy(): void {
    this.#halt();
    for (const session of this.#sessions) session.destroy();
  }

  #halt(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #tick = (): void => {
    this.#stop = this.#clock.after(TICK_MS, this.#tick);
    const nowMs = this.#clock.monotonicMs();
    for (const session of this.#sessions) this.#visit(session, nowMs);
  };

  #visit(session: WatchedSession, nowMs: number): void {
    const connection = session[CONNECTION];
    if (connection === undefined || session.destroyed) return;
    if (connection.streams > 0 || connection.requests > 0) connection.lastBusyMs = nowMs;
    connection.requests = 0;
    if (nowMs - connection.lastBusyMs >= IDLE_MS || nowMs - connection.openedMs >= AGE_MS) {
      if (!session.closed) session.close();
      return;
    }
    if (connection.streams === 0) return;
    // No answer to the previous ping: the peer is gone without a word.
    if (connection.awaitsPong) return session.destroy();
    connection.awaitsPong = true;
    session.ping(() => {
      connection.awaitsPong = false;
    });
  }
}
