import type { SqlValue } from './statement.ts';
import { parameterText } from './text-escape.ts';

/** Types of messages to the server, and what Close and Describe are about. */
const PARSE = 0x50;
const BIND = 0x42;
const CLOSE = 0x43;
const QUERY = 0x51;
const OF_STATEMENT = 0x53;
/** Messages without contents of their own: Describe of the unnamed portal, Execute of it, Sync. */
const DESCRIBE = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);

/** Room kept between pieces, in bytes; a larger piece takes its room with it. */
const ROOM = 16 * 1024;
/** Most bytes of one UTF-16 unit. */
const UNIT_BYTES = 3;

/** Puts messages of the protocol behind each other, so that they leave as one piece. Parameters and results are text. */
export class MessageWriter {
  #bytes = Buffer.allocUnsafeSlow(ROOM);
  #at = 0;

  /** `name`: '' for a statement that is not kept. */
  parse(name: string, text: string): void {
    const start = this.#begin(PARSE);
    this.#text(name);
    this.#text(text);
    this.#int16(0);
    this.#end(start);
  }

  bind(name: string, values: readonly SqlValue[]): void {
    const start = this.#begin(BIND);
    this.#text('');
    this.#text(name);
    this.#int16(0);
    this.#int16(values.length);
    for (const value of values) this.#value(parameterText(value));
    this.#int16(0);
    this.#end(start);
  }

  describe(): void {
    this.#copy(DESCRIBE);
  }

  execute(): void {
    this.#copy(EXECUTE);
  }

  /** Forgets a kept statement; one that is not there does not matter. */
  close(name: string): void {
    const start = this.#begin(CLOSE);
    this.#room(1);
    this.#bytes[this.#at++] = OF_STATEMENT;
    this.#text(name);
    this.#end(start);
  }

  sync(): void {
    this.#copy(SYNC);
  }

  /** Several statements as one text, each answered; a Sync is part of it. */
  query(text: string): void {
    const start = this.#begin(QUERY);
    this.#text(text);
    this.#end(start);
  }

  /** What was written since the last time. */
  take(): Buffer {
    const size = this.#at;
    this.#at = 0;
    if (size <= ROOM) return Buffer.copyBytesFrom(this.#bytes, 0, size);
    const whole = this.#bytes.subarray(0, size);
    this.#bytes = Buffer.allocUnsafeSlow(ROOM);
    return whole;
  }

  #begin(type: number): number {
    this.#room(5);
    this.#bytes[this.#at] = type;
    this.#at += 5;
    return this.#at - 4;
  }

  /** The length counts itself. */
  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#at - start, start);
  }

  #text(text: string): void {
    this.#room(text.length * UNIT_BYTES + 1);
    this.#at += this.#bytes.write(text, this.#at);
    this.#bytes[this.#at++] = 0;
  }

  #value(text: string | null): void {
    this.#room(4 + (text?.length ?? 0) * UNIT_BYTES);
    const size = text === null ? -1 : this.#bytes.write(text, this.#at + 4);
    this.#bytes.writeInt32BE(size, this.#at);
    this.#at += 4 + Math.max(0, size);
  }

  #int16(value: number): void {
    this.#room(2);
    this.#at = this.#bytes.writeUInt16BE(value, this.#at);
  }

  #copy(message: Buffer): void {
    this.#room(message.length);
    this.#at += message.copy(this.#bytes, this.#at);
  }

  #room(size: number): void {
    const needed = this.#at + size;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
