import { type Message, readColumns } from './message-reader.ts';
import type { MessageWriter } from './message-writer.ts';
import { RowShape } from './row-shape.ts';
import type { SqlAnswer, SqlValue, Statement } from './statement.ts';
import { type ConnectionLost, NotRun, type ServerError } from './storage-fault.ts';

/** A statement that somebody waits for. */
export interface Asked {
  readonly sql: Statement<unknown>;
  readonly values: readonly SqlValue[];
  readonly resolve: (answer: SqlAnswer<never>) => void;
  readonly reject: (error: unknown) => void;
}

/** Types of messages from the server. */
const ROW = 0x44;
const COMPLETE = 0x43;
const READY = 0x5a;
const COLUMNS = 0x54;

/** What one connection has prepared: the columns of each statement's answer, once they are known. */
export class PreparedStatements {
  readonly #shapes = new Map<string, RowShape | undefined>();
  /** Those of which it is not known whether the server has them. */
  readonly #unsure = new Set<string>();

  has(name: string): boolean {
    return this.#shapes.has(name);
  }

  shapeOf(name: string): RowShape | undefined {
    return this.#shapes.get(name);
  }

  isUnsure(name: string): boolean {
    return this.#unsure.has(name);
  }

  sent(name: string): void {
    this.#unsure.delete(name);
    this.#shapes.set(name, undefined);
  }

  know(name: string, shape: RowShape): void {
    if (this.#shapes.has(name)) this.#shapes.set(name, shape);
  }

  doubt(name: string): void {
    this.#shapes.delete(name);
    this.#unsure.add(name);
  }
}

/** Rows in a tag such as `SELECT 2`, `INSERT 0 1`; 0 for `BEGIN`. */
const countOf = (tag: string): number => Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0;

/** What is on its way to the server, and takes what comes back. */
export interface Sent {
  write(writer: MessageWriter, prepared: PreparedStatements): void;
  /** Takes a message of the server; true for the last one. */
  take(message: Message): boolean;
  /** The statement that is next was refused; the last message comes still. */
  refuse(error: ServerError): void;
  /** Nothing more comes. */
  lose(lost: ConnectionLost): void;
}

/** Statements of a migration, as one text; their answers are not looked at. */
export class Script implements Sent {
  readonly #text: string;
  readonly #waits: { readonly resolve: () => void; readonly reject: (error: unknown) => void };
  #failure: ServerError | undefined;

  constructor(text: string, waits: { readonly resolve: () => void; readonly reject: (error: unknown) => void }) {
    this.#text = text;
    this.#waits = waits;
  }

  write(writer: MessageWriter): void {
    writer.query(this.#text);
  }

  take({ type }: Message): boolean {
    if (type !== READY) return false;
    if (this.#failure === undefined) this.#waits.resolve();
    else this.#waits.reject(this.#failure);
    return true;
  }

  refuse(error: ServerError): void {
    this.#failure ??= error;
  }

  lose(lost: ConnectionLost): void {
    this.#waits.reject(lost);
  }
}

/**
 * Statements that leave together and are answered together: the server works them off in order and sends what it has at
 * the end. Behind one that it refuses it runs none of the others; they are rejected with NotRun. Outside a transaction the
 * piece is one: with `isWhole` those before the refused one count as not run either.
 */
export class Piece implements Sent {
  readonly #asked: readonly Asked[];
  readonly #isWhole: boolean;
  readonly #answers: SqlAnswer<never>[] = [];
  readonly #described: boolean[] = [];
  #prepared: PreparedStatements | undefined;
  #shape: RowShape | undefined;
  #rows: never[] = [];
  #failure: ServerError | undefined;

  constructor(asked: readonly Asked[], isWhole: boolean) {
    this.#asked = asked;
    this.#isWhole = isWhole;
  }

  write(writer: MessageWriter, prepared: PreparedStatements): void {
    this.#prepared = prepared;
    for (const { sql, values } of this.#asked) {
      const { name = '' } = sql;
      const isKnown = name !== '' && prepared.has(name);
      if (!isKnown) {
        if (prepared.isUnsure(name)) writer.close(name);
        writer.parse(name, sql.text);
        if (name !== '') prepared.sent(name);
      }
      writer.bind(name, values);
      const isDescribed = isKnown && prepared.shapeOf(name) !== undefined;
      if (!isDescribed) writer.describe();
      this.#described.push(isDescribed);
      writer.execute();
    }
    writer.sync();
  }

  take(message: Message): boolean {
    switch (message.type) {
      case ROW:
        this.#addRow(message);
        break;
      case COMPLETE:
        this.#complete(message.bytes.toString('latin1', message.start, message.end - 1));
        break;
      case COLUMNS:
        this.#shape = new RowShape(readColumns(message));
        break;
      case READY:
        this.#settle();
        return true;
      default:
    }
    return false;
  }

  /** What was to be prepared from here on may be, or not. */
  refuse(error: ServerError): void {
    this.#failure ??= error;
    for (const { sql } of this.#asked.slice(this.#answers.length))
      if (sql.name !== undefined) this.#prepared?.doubt(sql.name);
  }

  lose(lost: ConnectionLost): void {
    for (const { reject } of this.#asked) reject(lost);
  }

  get #name(): string {
    return this.#asked[this.#answers.length]?.sql.name ?? '';
  }

  #addRow(message: Message): void {
    this.#shape ??= this.#prepared?.shapeOf(this.#name) ?? RowShape.none;
    this.#rows.push(this.#shape.row(message) as never);
  }

  #complete(tag: string): void {
    // A statement that answers no rows is known to: it is never asked again.
    if (this.#described[this.#answers.length] === false) this.#prepared?.know(this.#name, this.#shape ?? RowShape.none);
    this.#answers.push({ rows: this.#rows, count: countOf(tag), tag });
    this.#rows = [];
    this.#shape = undefined;
  }

  #settle(): void {
    const failure = this.#failure;
    const done = this.#answers.length;
    for (const [index, { resolve, reject }] of this.#asked.entries()) {
      const answer = this.#answers[index];
      if (index === done) reject(failure);
      else if (answer === undefined || (failure !== undefined && this.#isWhole)) reject(new NotRun(failure));
      else resolve(answer);
    }
  }
}
