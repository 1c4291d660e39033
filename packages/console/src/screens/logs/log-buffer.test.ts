import { describe, expect, it } from 'vitest';
import { type KeptLine, LogBuffer, lineText } from './log-buffer.ts';

const line = (number: number, level = 'info', message = `line ${number}`): KeptLine => ({
  id: String(number),
  timestamp: BigInt(number) * 1_000_000n,
  level,
  message,
  fieldsJson: '{"turn":"T1"}',
});

const ids = (lines: readonly KeptLine[]): string => lines.map(({ id }) => id).join();

describe('LogBuffer', () => {
  it('shows what fits, also of lines that come later', () => {
    const buffer = new LogBuffer();
    buffer.push([line(1, 'debug'), line(2, 'warn'), line(3, 'error', 'Disk full')]);
    buffer.setFilter({ level: 'warn', contains: '' });
    expect(ids(buffer.shown)).toBe('2,3');
    buffer.push([line(4, 'info'), line(5, 'error')]);
    expect(ids(buffer.shown)).toBe('2,3,5');
    buffer.setFilter({ level: '', contains: 'DISK' });
    expect(ids(buffer.shown)).toBe('3');
    buffer.setFilter({ level: '', contains: 't1' });
    expect(ids(buffer.shown)).toBe('1,2,3,4,5');
  });

  it('lets the oldest go, of what is shown too', () => {
    const buffer = new LogBuffer(3);
    buffer.setFilter({ level: 'warn', contains: '' });
    buffer.push([line(1, 'warn'), line(2, 'warn')]);
    buffer.push([line(3), line(4, 'warn')]);
    expect([ids(buffer.lines), ids(buffer.shown)]).toEqual(['2,3,4', '2,4']);
    buffer.push([5, 6, 7, 8].map((number) => line(number)));
    expect([ids(buffer.lines), ids(buffer.shown)]).toEqual(['6,7,8', '']);
  });

  it('tells of changes, until it is left', () => {
    const buffer = new LogBuffer();
    let count = 0;
    const stop = buffer.watch(() => {
      count += 1;
    });
    buffer.push([line(1)]);
    buffer.clear();
    expect([count, buffer.lines.length, buffer.shown.length]).toEqual([2, 0, 0]);
    stop();
    buffer.push([line(2)]);
    expect(count).toBe(2);
  });
});

it('writes a line as text', () => {
  expect(lineText(line(1))).toBe('1970-01-01T00:00:01.000Z info line 1 {"turn":"T1"}');
  expect(lineText({ ...line(2), fieldsJson: '{}' })).toBe('1970-01-01T00:00:02.000Z info line 2');
});
