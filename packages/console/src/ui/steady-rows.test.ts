import { expect, it } from 'vitest';
import { steadyRows } from './steady-rows.ts';

const keyOf = (row: { readonly key: string }): string => row.key;
const row = (key: string, text = '') => ({ key, text });

it('shows everything until the order is held', () => {
  expect(steadyRows([row('b'), row('a')], undefined, keyOf)).toEqual({ rows: [row('b'), row('a')], fresh: 0 });
});

it('shows what a further page brings below, without counting it as new', () => {
  const latest = [row('new'), row('a'), row('b'), row('c'), row('d')];
  expect(steadyRows(latest, ['a', 'b'], keyOf)).toEqual({ rows: [row('a'), row('b'), row('c'), row('d')], fresh: 1 });
});

it('keeps the order, replaces rows in place, drops removed ones and counts new ones', () => {
  const latest = [row('new'), row('b', 'changed'), row('a')];
  expect(steadyRows(latest, ['a', 'gone', 'b'], keyOf)).toEqual({ rows: [row('a'), row('b', 'changed')], fresh: 1 });
});
