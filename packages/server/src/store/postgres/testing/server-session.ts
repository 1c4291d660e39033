import { connect, type Socket } from 'node:net';
import { MessageFrames } from './message-frames.ts';
import { queries } from './startup-message.ts';

/** What the client sends that the server answers by ReadyForQuery: a simple query, Sync, a function call. */
const ANSWERED: ReadonlySet<string> = new Set(['Q', 'S', 'F']);
const TERMINATE_BYTES = 5;

/** How sessions that wait for their next client show themselves in pg_stat_activity. */
export const KEPT_NAME = 'kept for the next test';
const CLEAR = queries(['DISCARD ALL', `SET application_name = '${KEPT_NAME}'`]);
const NAME_AGAIN = queries(['RESET application_name']);

/** One session of the server, which clients use one after the other. */
export class ServerSession {
  readonly #socket: Socket;
  #client: Socket | undefined;
  readonly #fromServer = new MessageFrames();
  #fromClient = new MessageFrames();
  /** All that the server sent before the session was ready. */
  readonly #greeting: Buffer[] = [];
  #isGreeted = false;
  #unanswered = 0;
  /** Messages came that no Sync has followed yet. */
  #isOpen = false;
  #isInTransaction = false;
  #hasLeft = false;
  #whenReady: ((isReady: boolean) => void) | undefined;

  /** `startup` is the first message of the client. */
  constructor(port: number, startup: Buffer, client: Socket) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay().unref();
    this.#socket.write(startup);
    this.#unanswered = 1;
    this.#socket.on('data', (bytes: Buffer) => this.#hear(bytes));
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.once('close', () => {
      this.#client?.end();
      this.#whenReady?.(false);
    });
    this.#serve(client);
  }

  get isGone(): boolean {
    return this.#socket.destroyed;
  }

  /** Called when the client has left: true if the session can serve another one after `clear`. */
  whenLeft: ((isWhole: boolean) => void) | undefined;

  /** Serves another client, as if the session was new; false when it ended meanwhile. */
  async serveNext(client: Socket): Promise<boolean> {
    if (!(await this.#run(NAME_AGAIN))) return false;
    if (client.destroyed) {
      this.end();
      return true;
    }
    client.write(Buffer.concat(this.#greeting));
    this.#serve(client);
    return true;
  }

  /** Leaves nothing of the last client; false when the session ended. */
  clear(): Promise<boolean> {
    return this.#run(CLEAR);
  }

  end(): void {
    this.#socket.destroy();
  }

  #serve(client: Socket): void {
    this.#client = client;
    this.#fromClient = new MessageFrames();
    this.#hasLeft = false;
    client.on('data', (bytes: Buffer) => this.#pass(bytes));
    client.once('close', () => this.#leave());
  }

  #run(queries: readonly Buffer[]): Promise<boolean> {
    if (this.isGone) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#whenReady = resolve;
      this.#unanswered += queries.length;
      this.#socket.write(Buffer.concat(queries));
    });
  }

  #hear(bytes: Buffer): void {
    if (!this.#isGreeted) this.#greeting.push(bytes);
    this.#client?.write(bytes);
    this.#fromServer.read(bytes, (type, first) => {
      if (type !== 'Z') return;
      this.#isGreeted = true;
      this.#isInTransaction = first !== 'I';
      this.#unanswered--;
    });
    if (this.#unanswered > 0) return;
    const ready = this.#whenReady;
    this.#whenReady = undefined;
    ready?.(true);
  }

  #pass(bytes: Buffer): void {
    this.#fromClient.read(bytes, (type) => {
      if (type === 'X') this.#hasLeft = true;
      else if (ANSWERED.has(type)) {
        this.#unanswered++;
        this.#isOpen = false;
      } else this.#isOpen = true;
    });
    const passed = this.#hasLeft ? bytes.subarray(0, -TERMINATE_BYTES) : bytes;
    if (passed.length > 0) this.#socket.write(passed);
  }

  /** Only one that has answered everything is whole: whether its client said goodbye makes no difference to the server then. */
  #leave(): void {
    this.#client = undefined;
    const isIdle = this.#unanswered === 0 && !this.#isOpen && !this.#isInTransaction;
    const isWhole = this.#isGreeted && isIdle && !this.isGone;
    if (!isWhole) this.end();
    this.whenLeft?.(isWhole);
  }
}
