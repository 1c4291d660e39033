import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchedLines, type LineFile } from './line-writer.ts';

type Done = Parameters<LineFile['write']>[1];

const full = (): NodeJS.ErrnoException => Object.assign(new Error('full'), { code: 'EAGAIN' });

/** A file whose writes end when the test says so. */
class SlowFile implements LineFile {
  readonly out: string[] = [];
  readonly open: { readonly text: string; readonly done: Done }[] = [];
  refusals = 0;

  write(bytes: Uint8Array, done: Done): void {
    this.open.push({ text: Buffer.from(bytes).toString(), done });
  }

  writeSync(bytes: Uint8Array): number {
    if (this.refusals > 0) {
      this.refusals -= 1;
      throw full();
    }
    const taken = bytes.subarray(0, 3);
    this.out.push(Buffer.from(taken).toString());
    return taken.length;
  }

  /** Ends the write under way after `length` characters, or with an error. */
  end(length: number | NodeJS.ErrnoException): void {
    const { text, done } = this.open.shift() as (typeof this.open)[number];
    if (typeof length !== 'number') return done(length, 0);
    this.out.push(text.slice(0, length));
    done(null, length);
  }
}

describe('batched lines', () => {
  let file: SlowFile;
  let lines: BatchedLines;

  beforeEach(() => {
    vi.useFakeTimers();
    file = new SlowFile();
    lines = new BatchedLines(file);
  });
  afterEach(() => vi.useRealTimers());

  it('leave together after a moment, in order, and later ones behind them', () => {
    for (const line of ['a\n', 'b\n']) lines.write(line);
    expect(file.open).toEqual([]);
    vi.advanceTimersByTime(20);
    lines.write('c\n');
    vi.advanceTimersByTime(20);
    expect(file.open.map((write) => write.text)).toEqual(['a\nb\n']);
    file.end(4);
    vi.advanceTimersByTime(20);
    expect(file.open.map((write) => write.text)).toEqual(['c\n']);
  });

  it('leave at once when they are many', () => {
    lines.write('x'.repeat(20_000));
    expect(file.open).toHaveLength(1);
  });

  it('go on after a partial write and a full pipe, without loss or doubling', () => {
    lines.write('abcdef\n');
    vi.advanceTimersByTime(20);
    file.end(2);
    file.end(full());
    vi.advanceTimersByTime(10);
    file.end(5);
    expect(file.out.join('')).toBe('abcdef\n');
    expect(file.open).toEqual([]);
  });

  it('are all out after a flush, over a pipe that takes little at a time', () => {
    file.refusals = 2;
    lines.write('abcdefgh\n');
    lines.flush();
    expect(file.out.join('')).toBe('abcdefgh\n');
  });

  it('are dropped, and counted in a line of their own, when nobody reads', () => {
    const line = `${'x'.repeat(1_048_575)}\n`;
    for (let index = 0; index < 40; index += 1) lines.write(line);
    const [first] = file.open;
    file.end(first?.text.length ?? 0);
    expect(file.open[0]?.text).toContain('{"level":"warn","msg":"log lines were dropped","lines":23}');
    expect(file.open[0]?.text.length).toBeLessThan(17_000_000);
  });

  it('are given up when the reader is gone', () => {
    lines.write('a\n');
    vi.advanceTimersByTime(20);
    file.end(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    expect(file.open).toEqual([]);
    lines.write('b\n');
    vi.advanceTimersByTime(20);
    expect(file.open).toHaveLength(1);
  });
});
