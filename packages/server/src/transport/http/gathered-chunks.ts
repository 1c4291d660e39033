import type { Socket } from 'node:net';

/** Writes one framed chunk; text stands for its bytes, each a character of latin1. False while the reader lags. */
export const writeChunk = (socket: Socket, chunk: Uint8Array | string): boolean =>
  typeof chunk === 'string' ? socket.write(chunk, 'latin1') : socket.write(chunk);

/**
 * Chunks for one socket that leave in one write, as many as the socket takes at a time. Text is joined first, which costs the
 * system half of what as many pieces do.
 */
export class GatheredChunks {
  readonly #socket: Socket;
  #chunks: (Uint8Array | string)[] = [];
  #isText = true;
  #sizeBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** True while the socket takes more. */
  get hasRoom(): boolean {
    const { writableNeedDrain, writableLength, writableHighWaterMark } = this.#socket;
    return !writableNeedDrain && writableLength + this.#sizeBytes < writableHighWaterMark;
  }

  /** False once there is no room for more. */
  add(chunk: Uint8Array | string): boolean {
    this.#chunks.push(chunk);
    this.#isText &&= typeof chunk === 'string';
    this.#sizeBytes += chunk.length;
    return this.hasRoom;
  }

  /** False while the reader lags. */
  write(): boolean {
    const [socket, chunks] = [this.#socket, this.#chunks];
    if (chunks.length === 0 || socket.destroyed) return true;
    if (this.#isText) return writeChunk(socket, chunks.length === 1 ? (chunks[0] as string) : chunks.join(''));
    socket.cork();
    let keepsUp = true;
    for (const chunk of chunks) keepsUp = writeChunk(socket, chunk);
    socket.uncork();
    return keepsUp;
  }
}
