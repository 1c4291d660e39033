import { constants, type ServerHttp2Session } from 'node:http2';
import type { CancelTimer, Clock } from '../../base/index.ts';
import type { Connection, ConnectionLimits } from './connection-limits.ts';
import type { RequestAccount, UntrustedRequests } from './untrusted-requests.ts';

/** Pings every 30 s on connections with streams. */
const TICK_MS = 30_000;
/** A connection without streams is closed after this long. */
const IDLE_MS = 10 * 60_000;
/** A connection this old is asked to go away gently, so that load spreads again. */
const AGE_MS = 24 * 3_600_000;

/** Streams open at once on a connection that has shown no valid credential: what clients assume before they know better. */
export const UNTRUSTED_STREAMS = 100;

/** Ends a session with a code but without an error for each of its streams; `undefined` would make Node forget the code. */
const WITHOUT_ERROR = null as unknown as undefined;

const STATE = Symbol('state');

interface SessionState {
  readonly connection: Connection;
  /** Absent on connections that are trusted from the start. */
  readonly account: RequestAccount | undefined;
  readonly openedMs: number;
  lastBusyMs: number;
  /** Requests since the last tick. */
  requests: number;
  /** Streamed answers that are open. */
  streams: number;
  awaitsPong: boolean;
}

interface WatchedSession extends ServerHttp2Session {
  [STATE]?: SessionState;
}

export interface Http2SessionsParts {
  readonly clock: Clock;
  readonly limits: Pick<ConnectionLimits, 'trust' | 'noteCut'>;
  readonly requests: Pick<UntrustedRequests, 'open' | 'count' | 'close'>;
  /** Streams open at once on a trusted connection. */
  readonly streams: number;
}

/** Watches all HTTP/2 connections with one timer: pings, an idle limit and an age limit; no timer while there are none. */
export class Http2Sessions {
  readonly #parts: Http2SessionsParts;
  readonly #clock: Clock;
  readonly #sessions = new Set<WatchedSession>();
  #stop: CancelTimer | undefined;

  constructor(parts: Http2SessionsParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
  }

  add(session: ServerHttp2Session, connection: Connection): void {
    const nowMs = this.#clock.monotonicMs();
    const watched: WatchedSession = session;
    const account = connection.isTrusted ? undefined : this.#parts.requests.open();
    const idle = { lastBusyMs: nowMs, requests: 0, streams: 0, awaitsPong: false };
    watched[STATE] = { connection, account, openedMs: nowMs, ...idle };
    this.#sessions.add(watched);
    session.once('close', () => {
      this.#sessions.delete(watched);
      if (this.#sessions.size === 0) this.#halt();
    });
    this.#stop ??= this.#clock.after(TICK_MS, this.#tick);
  }

  /** A request came on the connection. `cut` means that the connection asked for too much and is ended now. */
  touch(session: WatchedSession): 'trusted' | 'untrusted' | 'cut' {
    const state = session[STATE];
    if (state === undefined) return 'cut';
    state.requests += 1;
    if (state.connection.isTrusted || state.account === undefined) return 'trusted';
    if (this.#parts.requests.count(state.account)) return 'untrusted';
    this.#parts.limits.noteCut(state.connection);
    session.destroy(WITHOUT_ERROR, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    return 'cut';
  }

  /** A request on the connection carried a valid credential. */
  trust(session: WatchedSession | undefined): void {
    const state = session?.[STATE];
    if (session === undefined || state === undefined || state.connection.isTrusted) return;
    this.#parts.limits.trust(state.connection);
    if (state.account !== undefined) this.#parts.requests.close(state.account);
    if (!session.destroyed && !session.closed) session.settings({ maxConcurrentStreams: this.#parts.streams });
  }

  /** A streamed answer began (1) or ended (-1): the connection is pinged meanwhile and never idle. */
  hold(session: WatchedSession | undefined, change: 1 | -1): void {
    const state = session?.[STATE];
    if (state !== undefined) state.streams += change;
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
    const state = session[STATE];
    if (state === undefined || session.destroyed) return;
    if (state.streams > 0 || state.requests > 0) state.lastBusyMs = nowMs;
    state.requests = 0;
    if (nowMs - state.lastBusyMs >= IDLE_MS || nowMs - state.openedMs >= AGE_MS) {
      if (!session.closed) session.close();
      return;
    }
    if (state.streams === 0) return;
    // No answer to the previous ping: the peer is gone without a word.
    if (state.awaitsPong) return session.destroy();
    state.awaitsPong = true;
    session.ping(() => {
      state.awaitsPong = false;
    });
  }
}
