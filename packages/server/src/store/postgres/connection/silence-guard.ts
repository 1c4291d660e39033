import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';

/**
 * Ends a connection whose server owes an answer and sends nothing for a while: a host that vanished resets no connection, and
 * the limits of the server end with it. The timer is the socket's own, so a statement costs two counts.
 */
export class SilenceGuard {
  readonly #socket: Socket;
  #owed = 0;
  #isPatient = false;
  #wasSilent = false;

  constructor(socket: Socket, limitMs: number) {
    this.#socket = socket;
    socket.setTimeout(limitMs);
    socket.on('timeout', () => this.#onSilence());
  }

  /** True once the connection was ended because of its silence: other connections will hardly do better. */
  get wasSilent(): boolean {
    return this.#wasSilent;
  }

  /** Statements without limits of their own (migrations) are waited for, however long the server works. */
  set isPatient(isPatient: boolean) {
    this.#isPatient = isPatient;
  }

  /** Passes an answer on that the server now owes. */
  async until<T>(answer: Promise<T>): Promise<T> {
    this.#owed++;
    try {
      return await answer;
    } finally {
      this.#owed--;
    }
  }

  #onSilence(): void {
    if (this.#owed === 0 || this.#isPatient) return;
    this.#wasSilent = true;
    this.#socket.destroy(new Error('the database sent nothing for too long'));
  }
}

/** The guards of a pool's connections. */
export class SilenceGuards {
  readonly #limitMs: number;
  readonly #guards = new WeakMap<PoolClient, SilenceGuard>();

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  of(client: PoolClient): SilenceGuard {
    let guard = this.#guards.get(client);
    if (guard === undefined) {
      // The socket, or the TLS one around it.
      guard = new SilenceGuard(client.connection.stream as Socket, this.#limitMs);
      this.#guards.set(client, guard);
    }
    return guard;
  }
}
