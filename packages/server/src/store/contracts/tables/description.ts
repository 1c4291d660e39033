/** How a column is stored. `json` is text that is mended when read: earlier builds stored halves of characters in it. */
export type ColumnType = 'text' | 'json' | 'integer';

export type Columns = Readonly<Record<string, ColumnType>>;

/** What every description says of its table. */
export interface TableFacts {
  /** Its name in every engine. */
  readonly name: string;
  /** By field of a row. The columns are named like the fields, in snake case. */
  readonly columns: Columns;
  /** Fields that name one row. */
  readonly key: readonly string[];
}

interface ColumnValues {
  readonly text: string;
  readonly json: string;
  readonly integer: number;
}

/** A row of the table as callers see it. */
export type RowOf<Table extends TableFacts> = {
  readonly [Field in keyof Table['columns']]: ColumnValues[Table['columns'][Field] & ColumnType];
};

/** These fields of a row. */
export type FieldsOf<Table extends TableFacts, Fields extends readonly string[]> = Pick<
  RowOf<Table>,
  Fields[number] & keyof RowOf<Table>
>;

/** The column that holds a field. */
export const columnOf = (field: string): string => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
