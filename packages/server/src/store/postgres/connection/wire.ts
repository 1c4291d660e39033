import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';
import { DatabaseError } from 'pg-protocol';
import type { BackendMessage } from 'pg-protocol/dist/messages.js';
import { Parser } from 'pg-protocol/dist/parser.js';
import { PreparedStatements, type Sent } from './piece.ts';
import { ConnectionLost, toEngineError } from './storage-fault.ts';

/**
 * The messages of one connection, once the driver has opened it: pieces leave in order, and each is answered whole before
 * the next. It ends a connection whose server owes an answer and sends nothing for a while: a host that vanished resets no
 * connection, and the limits of the server end with it. What is written meanwhile is not a sign of life; a timer of the socket
 * would take it for one.
 */
export class Wire {
  readonly #socket: Socket;
  readonly #prepared = new PreparedStatements();
  readonly #underWay: Sent[] = [];
  readonly #parser = new Parser();
  readonly #take = (message: BackendMessage): void => {
    if (this.#lost !== undefined) return;
    const [piece] = this.#underWay;
    if (message instanceof DatabaseError) {
      const refusal = toEngineError(message);
      if (refusal instanceof ConnectionLost) this.#end(refusal);
      else if (piece === undefined) this.#end(new ConnectionLost(refusal));
      else piece.refuse(refusal);
    } else if (piece?.take(message) === true) this.#underWay.shift();
  };
  /** Runs from the last byte that came, or from when an answer was due again. */
  readonly #patience: NodeJS.Timeout;
  #chunks = 0;
  #lost: ConnectionLost | undefined;
  #wasSilent = false;
  /** Whether the server may work as long as it likes on a statement: migrations have no limits of their own. */
  isPatient = false;
  /** Called when the connection is lost, perhaps more than once. */
  whenLost: (() => void) | undefined;

  /** `silenceMs`: how long an answer may take without a byte coming. */
  constructor(client: PoolClient, silenceMs: number) {
    // The socket, or the TLS one around it.
    const socket = client.connection.stream as Socket;
    this.#socket = socket;
    // From here on the driver reads nothing more.
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error) => this.#lose(new ConnectionLost(error)));
    socket.on('close', () => this.#lose(new ConnectionLost(new Error('the connection was closed'))));
    this.#patience = setTimeout(() => this.#onSilence(), silenceMs).unref();
  }

  /** Set once the connection is known to be gone. */
  get lost(): ConnectionLost | undefined {
    return this.#lost;
  }

  /** True once the connection was ended because of its silence: other connections will hardly do better. */
  get wasSilent(): boolean {
    return this.#wasSilent;
  }

  send(pieces: readonly Sent[]): void {
    if (this.#lost !== undefined) {
      for (const piece of pieces) piece.lose(this.#lost);
      return;
    }
    const messages = pieces.flatMap((piece) => piece.messages(this.#prepared));
    if (this.#underWay.length === 0) this.#patience.refresh();
    this.#underWay.push(...pieces);
    this.#socket.write(Buffer.concat(messages));
  }

  #read(chunk: Buffer): void {
    if (this.#lost !== undefined) return;
    this.#chunks++;
    this.#patience.refresh();
    try {
      this.#parser.parse(chunk, this.#take);
    } catch (error) {
      // Nothing that follows an answer which cannot be read can be relied on.
      this.#end(new ConnectionLost(error));
    }
  }

  /** What came while this process was held up is read first. */
  #onSilence(): void {
    if (this.#underWay.length === 0) return;
    if (this.isPatient) {
      this.#patience.refresh();
      return;
    }
    const seen = this.#chunks;
    setImmediate(() => {
      if (this.#chunks !== seen || this.#lost !== undefined) return;
      this.#wasSilent = true;
      this.#end(new ConnectionLost(new Error('the database sent nothing for too long')));
    });
  }

  #end(lost: ConnectionLost): void {
    this.#lose(lost);
    this.#socket.destroy(lost);
  }

  #lose(lost: ConnectionLost): void {
    this.#lost ??= lost;
    clearTimeout(this.#patience);
    for (const piece of this.#underWay.splice(0)) piece.lose(this.#lost);
    this.whenLost?.();
  }
}
