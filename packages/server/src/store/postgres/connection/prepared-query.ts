import { Query, types } from 'pg';
import type { SqlResult, SqlValue, Statement } from './statement.ts';
import { parameterText, unescaped } from './text-escape.ts';

/** Type numbers of `pg_type`. */
const INT8 = 20;
const TEXTS: ReadonlySet<number> = new Set([25, 1043]);

/** bigint as number (all of ours are below 2^53), text without escapes; everything else as the driver does it. */
const parserOf = (oid: number): ((text: string) => unknown) => {
  if (oid === INT8) return Number;
  return TEXTS.has(oid) ? unescaped : (types.getTypeParser(oid, 'text') as (text: string) => unknown);
};

/** Columns of what a statement answers. */
interface Shape {
  readonly names: readonly string[];
  readonly parsers: readonly ((text: string) => unknown)[];
}

/** Shapes by name of the prepared statement, of one connection. */
export type Shapes = Map<string, Shape>;

/** What the driver's connection offers to a query that is sent. */
interface Wire {
  readonly stream: { write(bytes: Buffer): unknown };
  readonly parsedStatements: Readonly<Record<string, string | undefined>>;
  readonly submittedNamedStatements: Record<string, string | undefined>;
  parse(statement: { readonly text: string; readonly name: string }): void;
  query(text: string): void;
}

/** Protocol messages without contents of their own: Describe of the unnamed portal, Execute of it, Sync. */
const DESCRIBE = Buffer.from([0x44, 0, 0, 0, 6, 0x50, 0]);
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);
const BIND = 0x42;

/** Bind, Describe when the columns are not known, Execute and Sync as one piece: parameters and results are text. */
const messagesOf = (name: string, values: readonly SqlValue[], isDescribed: boolean): Buffer => {
  const texts = values.map(parameterText);
  const sizes = texts.map((text) => (text === null ? 0 : Buffer.byteLength(text)));
  const bound = sizes.reduce(
    (sum, size) => sum + size,
    4 + 1 + Buffer.byteLength(name) + 1 + 2 + 2 + 4 * texts.length + 2,
  );
  const described = isDescribed ? 0 : DESCRIBE.length;
  const bytes = Buffer.allocUnsafe(1 + bound + described + EXECUTE.length + SYNC.length);
  let at = bytes.writeUInt8(BIND, 0);
  at = bytes.writeInt32BE(bound, at);
  at = bytes.writeUInt8(0, at);
  at += bytes.write(name, at);
  at = bytes.writeUInt8(0, at);
  at = bytes.writeInt16BE(0, at);
  at = bytes.writeInt16BE(texts.length, at);
  for (const [index, text] of texts.entries()) {
    at = bytes.writeInt32BE(text === null ? -1 : (sizes[index] ?? 0), at);
    if (text !== null) at += bytes.write(text, at);
  }
  at = bytes.writeInt16BE(0, at);
  if (!isDescribed) at += DESCRIBE.copy(bytes, at);
  at += EXECUTE.copy(bytes, at);
  SYNC.copy(bytes, at);
  return bytes;
};

/** Rows in a tag such as `SELECT 2`, `INSERT 0 1`; 0 for `BEGIN`. */
const countOf = (tag: string): number => Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0;

/** The driver's class without what its types say of its members: it takes only queries of this class into a pipeline. */
const DriverQuery = Query as unknown as new (text: string) => object;

export interface QueryOutcome<Row> {
  readonly resolve: (result: SqlResult<Row> & { readonly tag: string }) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One statement on its way: what the driver calls on its own queries, with less work. The columns of a prepared statement are
 * asked for once per connection, its messages leave as one piece, and rows are made without a copy between.
 */
export class PreparedQuery<Row> extends DriverQuery {
  /** The driver notes by it what the connection has prepared. */
  readonly name: string;
  readonly #sql: Statement<Row>;
  readonly #values: readonly SqlValue[] | undefined;
  readonly #shapes: Shapes;
  readonly #outcome: QueryOutcome<Row>;
  readonly #found: Row[] = [];
  #shape: Shape | undefined;
  #tag = '';
  #failure: unknown;

  /** Without `values` the text is sent as it is: words that open and end transactions. */
  constructor(
    sql: Statement<Row>,
    values: readonly SqlValue[] | undefined,
    how: { readonly shapes: Shapes; readonly outcome: QueryOutcome<Row> },
  ) {
    super(sql.text);
    this.name = sql.name ?? '';
    this.#sql = sql;
    this.#values = values;
    this.#shapes = how.shapes;
    this.#outcome = how.outcome;
  }

  submit(wire: Wire): null {
    const { text, name = '' } = this.#sql;
    if (this.#values === undefined) {
      wire.query(text);
      return null;
    }
    const isKnown =
      name !== '' && (wire.parsedStatements[name] !== undefined || wire.submittedNamedStatements[name] !== undefined);
    if (!isKnown) {
      wire.parse({ text, name });
      if (name !== '') wire.submittedNamedStatements[name] = text;
    }
    this.#shape = isKnown ? this.#shapes.get(name) : undefined;
    wire.stream.write(messagesOf(name, this.#values, this.#shape !== undefined));
    return null;
  }

  handleRowDescription(message: {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  }): void {
    const { fields } = message;
    this.#shape = {
      names: fields.map((field) => field.name),
      parsers: fields.map((field) => parserOf(field.dataTypeID)),
    };
    if (this.#sql.name !== undefined) this.#shapes.set(this.#sql.name, this.#shape);
  }

  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void {
    const { names = [], parsers = [] } = this.#shape ?? {};
    const row: Record<string, unknown> = {};
    try {
      for (const [index, name] of names.entries()) {
        const text = message.fields[index] ?? null;
        row[name] = text === null ? null : parsers[index]?.(text);
      }
    } catch (error) {
      this.#failure ??= error;
    }
    this.#found.push(row as Row);
  }

  handleCommandComplete(message: { readonly text: string }): void {
    this.#tag = message.text;
    // A statement that answers no rows is known to: it is never asked again.
    if (this.#shape === undefined && this.#sql.name !== undefined && this.#values !== undefined)
      this.#shapes.set(this.#sql.name, { names: [], parsers: [] });
  }

  handleReadyForQuery(): void {
    if (this.#failure !== undefined) this.#outcome.reject(this.#failure);
    else this.#outcome.resolve({ rows: this.#found, count: countOf(this.#tag), tag: this.#tag });
  }

  handleError(error: unknown): void {
    this.#outcome.reject(error);
  }
}
