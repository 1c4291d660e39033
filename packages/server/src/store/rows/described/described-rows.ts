import { assert, withoutHalfCharacters } from '../../../base/index.ts';
import { columnOf, type TableFacts } from '../../contracts/index.ts';

/** A row of a described table by its fields. */
export type DescribedRow = Record<string, string | number>;

/** The columns of these fields. */
export const columnsOf = (fields: readonly string[]): string => fields.map(columnOf).join(', ');

/** The columns of these fields as a statement answers them: under the names of the fields. */
export const answersOf = (fields: readonly string[]): string =>
  fields.map((field) => (columnOf(field) === field ? field : `${columnOf(field)} AS "${field}"`)).join(', ');

/** The values of these fields, in order. */
export const valuesOf = (fields: readonly string[], row: Readonly<DescribedRow>): (string | number)[] =>
  fields.map((field) => row[field] as string | number);

/** What was made of the query of this name. */
export const ofQuery = <Made>(queries: Readonly<Record<string, Made>>, name: string | number): Made => {
  const made = queries[name];
  assert(made !== undefined, 'the table has no query of this name');
  return made;
};

/** What a statement answered as a row of the table: the same object, mended. */
export const rowReader = ({ columns }: TableFacts): ((row: DescribedRow) => DescribedRow) => {
  const mended = Object.keys(columns).filter((field) => columns[field] === 'json');
  return (row) => {
    for (const field of mended) row[field] = withoutHalfCharacters(String(row[field]));
    return row;
  };
};
