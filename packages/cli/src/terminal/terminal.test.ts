import { describe, expect, it } from 'vitest';
import {
  age,
  creationMs,
  cutToWidth,
  harmless,
  localTime,
  phasePainter,
  readJsonPath,
  renderPaintedTable,
  renderTable,
  styleFor,
  textWidth,
} from './index.ts';

describe('colours', () => {
  const painted = (isTerminal: boolean, environment: Record<string, string>, isWanted = true): boolean =>
    styleFor({ isTerminal }, environment, isWanted).red('x') !== 'x';

  it('are for terminals only, never with NO_COLOR, --no-color or a dumb terminal', () => {
    expect(painted(true, {})).toBe(true);
    expect(painted(false, {})).toBe(false);
    expect(painted(true, { NO_COLOR: '1' })).toBe(false);
    expect(painted(true, { NO_COLOR: '' })).toBe(true);
    expect(painted(true, { TERM: 'dumb' })).toBe(false);
    expect(painted(true, {}, false)).toBe(false);
    expect(painted(false, { FORCE_COLOR: '1' })).toBe(true);
    expect(painted(false, { FORCE_COLOR: '0' })).toBe(false);
  });
});

describe('widths', () => {
  it('count wide characters twice, marks and colours not at all', () => {
    expect(textWidth('abc')).toBe(3);
    expect(textWidth('日本')).toBe(4);
    expect(textWidth('🙂')).toBe(2);
    expect(textWidth('e\u0301')).toBe(1);
    expect(textWidth('\u001b[31mred\u001b[39m')).toBe(3);
  });

  it('cut at whole characters with an ellipsis', () => {
    expect(cutToWidth('abcdef', 4)).toBe('abc…');
    expect(cutToWidth('日本語', 4)).toBe('日…');
    expect(cutToWidth('ab', 4)).toBe('ab');
  });

  it('make control characters visible', () => {
    expect(harmless('a\u001b]0;x\u0007\r\n\tb\u009b')).toBe('a^[]0;x^G\n\tb\ufffd');
  });
});

describe('tables', () => {
  const rows = [
    ['a', 'x'.repeat(30)],
    ['bb', 'y'],
  ];

  it('are as wide as their content in a pipe', () => {
    expect(renderTable(['N', 'TEXT'], rows, undefined)).toBe(`N    TEXT\na    ${'x'.repeat(30)}\nbb   y\n`);
  });

  it('cut their widest column to the terminal, but never to nothing', () => {
    expect(renderTable(['N', 'TEXT'], rows, 20)).toContain(`a    ${'x'.repeat(14)}…`);
    expect(renderTable(['N', 'TEXT'], rows, 13)).toContain(`${'x'.repeat(7)}…`);
  });

  it('never cut ids, of which a part is of no use', () => {
    const id = '01a202cf-3c0b-7072-b246-d100586d6bb2';
    expect(renderTable(['ID', 'TEXT'], [[id, 'x'.repeat(40)]], 50)).toContain(`${id}   ${'x'.repeat(10)}…`);
    expect(renderTable(['ID', 'TEXT'], [], 1)).toBe('ID   TEXT\n');
  });

  it('become blocks of lines where even narrow columns do not fit', () => {
    const id = '01a202cf-3c0b-7072-b246-d100586d6bb2';
    const headings = ['NAME', 'PHASE', 'MODEL', 'AGE', 'REASON', 'LAST SESSION', 'LABELS'];
    const agents = [
      ['one', 'Ready', 'demo/echo', '5m', '-', id, 'a=b'],
      ['two', 'Degraded', 'x'.repeat(70), '1d', 'ModelMissing', '-', ''],
    ];
    expect(renderTable(headings, agents, 60)).toBe(
      [
        'NAME           one',
        'PHASE          Ready',
        'MODEL          demo/echo',
        'AGE            5m',
        `LAST SESSION   ${id}`,
        'LABELS         a=b',
        '',
        'NAME           two',
        'PHASE          Degraded',
        `MODEL          ${'x'.repeat(44)}…`,
        'AGE            1d',
        'REASON         ModelMissing',
        '',
      ].join('\n'),
    );
    expect(renderTable(headings, agents, undefined).split('\n')).toHaveLength(4);
  });

  it('colour phases by what they mean, without moving a column', () => {
    const style = styleFor({ isTerminal: true }, {});
    const rows = [
      ['a', 'Ready', '1'],
      ['b', 'Degraded', '2'],
      ['c', 'Odd', '3'],
    ];
    const table = { headings: ['NAME', 'PHASE', 'N'], rows, columns: 80, paint: phasePainter(style) };
    expect(renderPaintedTable(table)).toBe(
      [
        'NAME   PHASE      N',
        'a      \u001b[32mReady\u001b[39m      1',
        'b      \u001b[31mDegraded\u001b[39m   2',
        'c      Odd        3',
        '',
      ].join('\n'),
    );
  });

  it('leave names and ids twice as much as other columns', () => {
    const wide = [['n'.repeat(40), 'x'.repeat(40)]];
    expect(renderTable(['NAME', 'TEXT'], wide, 63)).toContain(
      `${'n'.repeat(39)}…   ${'x'.repeat(19)}…`.replace('n…', 'nn'),
    );
    expect(renderTable(['NAME', 'TEXT'], wide, 33)).toContain(`${'n'.repeat(19)}…   ${'x'.repeat(9)}…`);
  });
});

describe('times', () => {
  it('are ages in the largest fitting unit', () => {
    const now = 1_000_000_000;
    expect([5, 119, 120, 7_199, 7_200, 172_799, 172_800].map((seconds) => age(now - seconds * 1_000, now))).toEqual([
      '5s',
      '119s',
      '2m',
      '119m',
      '2h',
      '47h',
      '2d',
    ]);
    expect(age(now + 5_000, now)).toBe('0s');
  });

  it('are read from ids and written in local time', () => {
    expect(creationMs('01a2004b-560f-7044-bbf3-2ade092e2675')).toBe(0x01a2004b560f);
    expect(creationMs('name')).toBeUndefined();
    expect(localTime(new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('2026-01-02 03:04:05');
  });
});

describe('jsonpath', () => {
  const value = { a: { b: [{ c: 1 }, { c: 'two' }], 'd.e': true } };
  it.each([
    ['{.a.b[*].c}', '1 two'],
    ['.a.b[1].c', 'two'],
    ["$.a['d.e']", 'true'],
    ['{.a.b[0]}', '{"c":1}'],
    ['{.a.x.y}', ''],
    ['{.a.b.c}', ''],
    ['{.a.b[7]}', ''],
    ['{.a[0]}', ''],
  ])('%s reads %s', (path, expected) => {
    expect(readJsonPath(value, path)).toBe(expected);
  });

  it.each(['', 'a', '{.a..b}', '{.a[x]}'])('refuses %s', (path) => {
    expect(() => readJsonPath(value, path)).toThrow('is not understood');
  });
});
