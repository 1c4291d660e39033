import type { ServerHttp2Session } from 'node:http2';
import type { CancelTimer, Clock } from '../../base/index.ts';

/** Pings every 30 s on connections with streams (API-2). */
const TICK_MS = 30_000;
/** A connection without streams is closed after this long. */
const IDLE_MS = 10 * 60_000;
/** A connection this old is asked to go away gently, so that load spreads again. */
const AGE_MS = 24 * 3_600_000;

interface Connection {
  readonly session: ServerHttp2Session;
  readonly openedMs: number;
  lastBusyMs: number;
  streams: number;
  awaitsPong: boolean;
}

/** Watches all HTTP/2 connections with one timer: pings, an idle limit and an age limit; no timer while there are none. */
export class Http2Sessions {
  readonly #clock: Clock;
  readonly #connections = new Map<ServerHttp2Session, Connection>();
  #stop: CancelTimer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(session: ServerHttp2Session): void {
    const nowMs = this.#clock.monotonicMs();
    const connection: Connection = { session, openedMs: nowMs, lastBusyMs: nowMs, streams: 0, awaitsPong: false };
    this.#connections.set(session, connection);
    session.on('stream', (stream) => {
      connection.streams += 1;
      stream.once('close', () => {
        connection.streams -= 1;
      });
    });
    session.once('close', () => {
      this.#connections.delete(session);
      if (this.#connections.size === 0) this.#halt();
    });
    this.#stop ??= this.#clock.after(TICK_MS, this.#tick);
  }

  /** GOAWAY to every client: open streams finish, new ones are refused. */
  goAway(): void {
    for (const { session } of this.#connections.values()) {
      if (!session.destroyed && !session.closed) session.close();
    }
  }

  destroy(): void {
    this.#halt();
    for (const { session } of this.#connections.values()) session.destroy();
  }

  #halt(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  readonly #tick = (): void => {
    this.#stop = this.#clock.after(TICK_MS, this.#tick);
    const nowMs = this.#clock.monotonicMs();
    for (const connection of this.#connections.values()) this.#visit(connection, nowMs);
  };

  #visit(connection: Connection, nowMs: number): void {
    const { session } = connection;
    if (session.destroyed) return;
    if (connection.streams > 0) connection.lastBusyMs = nowMs;
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
