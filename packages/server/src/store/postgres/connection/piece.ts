import { serialize } from 'pg-protocol';
import {
  type BackendMessage,
  CommandCompleteMessage,
  DataRowMessage,
  RowDescriptionMessage,
} from 'pg-protocol/dist/messages.js';
import { RowShape } from './row-shape.ts';
import type { SqlAnswer, SqlValue, Statement } from './statement.ts';
import { type ConnectionLost, NotRun, type ServerError } from './storage-fault.ts';
import { parameterText } from './text-escape.ts';

/** A statement that somebody waits for. */
export interface Asked {
  readonly sql: Statement<unknown>;
  readonly values: readonly SqlValue[];
  readonly resolve: (answer: SqlAnswer<never>) => void;
  readonly reject: (error: unknown) => void;
}

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
  /** Its messages, in order. */
  messages(prepared: PreparedStatements): readonly Buffer[];
  /** Takes a message of the server; true for the last one. */
  take(message: BackendMessage): boolean;
  /** The statement that is next was refused; the last message comes still. */
  refuse(error: ServerError): void;
  /** Nothing more comes. */
  lose(lost: ConnectionLost): void;
}

/** Statements of a migration, as one text; their answers are ignored. */
export class Script implements Sent {
  readonly #text: string;
  readonly #waits: { readonly resolve: () => void; readonly reject: (error: unknown) => void };
  #failure: ServerError | undefined;

  constructor(text: string, waits: { readonly resolve: () => void; readonly reject: (error: unknown) => void }) {
    this.#text = text;
    this.#waits = waits;
  }

  messages(): readonly Buffer[] {
    return [serialize.query(this.#text)];
  }

  take({ name }: BackendMessage): boolean {
    if (name !== 'readyForQuery') return false;
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

  messages(prepared: PreparedStatements): readonly Buffer[] {
    this.#prepared = prepared;
    const messages: Buffer[] = [];
    for (const { sql, values } of this.#asked) {
      const { name = '' } = sql;
      const isKnown = name !== '' && prepared.has(name);
      if (!isKnown) {
        if (prepared.isUnsure(name)) messages.push(serialize.close({ type: 'S', name }));
        messages.push(serialize.parse({ name, text: sql.text }));
        if (name !== '') prepared.sent(name);
      }
      messages.push(serialize.bind({ statement: name, values: values.map(parameterText) }));
      const isDescribed = isKnown && prepared.shapeOf(name) !== undefined;
      if (!isDescribed) messages.push(serialize.describe({ type: 'P' }));
      this.#described.push(isDescribed);
      messages.push(serialize.execute());
    }
    messages.push(serialize.sync());
    return messages;
  }

  take(message: BackendMessage): boolean {
    if (message instanceof DataRowMessage) this.#addRow(message);
    else if (message instanceof CommandCompleteMessage) this.#complete(message.text);
    else if (message instanceof RowDescriptionMessage) this.#shape = new RowShape(message.fields);
    else if (message.name === 'readyForQuery') {
      this.#settle();
      return true;
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

  #addRow({ fields }: DataRowMessage): void {
    this.#shape ??= this.#prepared?.shapeOf(this.#name) ?? RowShape.none;
    this.#rows.push(this.#shape.row(fields) as never);
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
