import { expect, it } from 'vitest';
import { TypedBelow } from './typed-below.ts';

const ESC = '\u001b';
const SEQUENCE = new RegExp(`${ESC}\\[(\\d*)([AGJ])|[^${ESC}]`, 'gu');

/** A terminal of a few columns that understands what TypedBelow writes. */
class Screen {
  readonly #columns: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(text: string): void {
    for (const [piece, count, command] of text.matchAll(SEQUENCE)) {
      if (command === 'A') this.#row -= Number(count);
      else if (command === 'G') this.#column = Number(count) - 1;
      else if (command === 'J') this.#clearDown();
      else if (piece === '\r') this.#column = 0;
      else if (piece === '\n') this.#down();
      else this.#put(piece);
    }
  }

  get text(): string {
    return this.#rows.map((row) => Array.from(row, (cell) => cell ?? ' ').join('')).join('\n');
  }

  #clearDown(): void {
    this.#rows.splice(this.#row + 1);
    this.#rows[this.#row]?.splice(this.#column);
  }

  /** As a terminal in cooked mode: to the start of the next row. */
  #down(): void {
    this.#row += 1;
    this.#column = 0;
    this.#rows[this.#row] ??= [];
  }

  #put(character: string): void {
    if (this.#column === this.#columns) this.#down();
    const row = this.#rows[this.#row] ?? [];
    row[this.#column] = character;
    this.#column += 1;
  }
}

const shown = (columns: number, steps: readonly (readonly ['text' | 'typed', string])[]): string => {
  const screen = new Screen(columns);
  const write = (text: string): void => screen.write(text);
  const below = new TypedBelow({ write, columns: () => columns });
  for (const [what, text] of steps) {
    if (what === 'text') below.print(text, write);
    else below.type(text);
  }
  return screen.text;
};

it('keeps a typed line below the text that is being written', () => {
  const typing = [
    ['text', 'one '],
    ['typed', 'h'],
    ['text', 'two '],
    ['typed', 'hi'],
    ['text', 'three'],
  ] as const;
  expect(shown(40, typing)).toBe('one two three\nhi');
  expect(shown(40, [...typing, ['typed', '']]).trimEnd()).toBe('one two three');
});

it('finds the end of the text again after wraps, full rows and line feeds, whatever is typed', () => {
  const words = 'the quick brown fox\njumps over the lazy dog and is gone'.match(/\S+\s*/g) ?? [];
  for (const columns of [7, 10, 19, 23]) {
    const plain = shown(
      columns,
      words.map((word) => ['text', word] as const),
    );
    const mixed = words.flatMap((word, index) => [['typed', 'x'.repeat(index * 3)] as const, ['text', word] as const]);
    expect([columns, shown(columns, [...mixed, ['typed', '']]).trimEnd()]).toEqual([columns, plain.trimEnd()]);
  }
});
