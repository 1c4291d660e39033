import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Frame types of RFC 9113, section 6. */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const END_STREAM = 1;
export const END_HEADERS = 4;
/** GOAWAY with this code says that the peer asks for too much (RFC 9113, section 7). */
export const ENHANCE_YOUR_CALM = 11;

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const HEAD_BYTES = 9;

export interface Frame {
  readonly type: number;
  readonly flags?: number;
  readonly stream?: number;
  readonly payload?: Uint8Array;
}

/** The bytes of one frame, whatever is in it. */
export const frameBytes = ({ type, flags = 0, stream = 0, payload = Buffer.alloc(0) }: Frame): Buffer => {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

/** A header field as HPACK writes it without its tables (RFC 7541, 6.2.2); names and values below 127 bytes. */
const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0, name.length), Buffer.from(name), Buffer.of(value.length), Buffer.from(value)]);

/** A header block; pseudo headers first. */
export const headerBlock = (fields: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(Object.entries(fields).map(([name, value]) => literal(name, value)));

/** A raw HTTP/2 connection that sends what a well-behaved client never would. */
export class RawHttp2 implements Disposable {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  /** Error code of the GOAWAY that came, if one did. */
  goAwayCode: number | undefined;
  isOpen = true;
  #ponged: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isOpen = false;
    });
    socket.on('data', (piece: Buffer) => this.#take(piece));
  }

  /** Connects from the loopback address `from`; resolves when the preface is sent. */
  static async open(port: number, from = '127.0.0.2'): Promise<RawHttp2> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    await once(socket, 'connect');
    const raw = new RawHttp2(socket);
    await raw.send(Buffer.concat([PREFACE, frameBytes({ type: FRAME.settings })]));
    return raw;
  }

  /** Resolves when the kernel took the bytes, or the connection ended. */
  async send(bytes: Uint8Array): Promise<void> {
    if (!this.isOpen) return;
    await new Promise<void>((resolve) => {
      this.#socket.once('close', resolve);
      this.#socket.write(bytes, () => {
        this.#socket.off('close', resolve);
        resolve();
      });
    });
  }

  /** Resolves when the server answered a ping, or ended the connection. */
  async ping(): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      this.#ponged = resolve;
      this.#socket.once('close', resolve);
    });
    await this.send(frameBytes({ type: FRAME.ping, payload: Buffer.alloc(8) }));
    await answered;
  }

  /** Resolves when the server ended the connection. */
  async ended(): Promise<void> {
    if (this.isOpen) await once(this.#socket, 'close');
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(piece: Buffer): void {
    let rest = Buffer.concat([this.#received, piece]);
    while (rest.length >= HEAD_BYTES && rest.length >= HEAD_BYTES + rest.readUIntBE(0, 3)) {
      const size = HEAD_BYTES + rest.readUIntBE(0, 3);
      if (rest[3] === FRAME.goAway) this.goAwayCode = rest.readUInt32BE(HEAD_BYTES + 4);
      if (rest[3] === FRAME.ping) this.#ponged();
      rest = rest.subarray(size);
    }
    this.#received = rest;
  }
}
