import { textWidth } from '../terminal/index.ts';

const ESC = '\u001b';
const ANSI = new RegExp(`${ESC}\\[[0-9;]*[A-Za-z]`, 'g');

interface TypedBelowOptions {
  readonly write: (text: string) => void;
  /** Current columns of the terminal. */
  readonly columns: () => number;
}

/**
 * Separates what a person types from a text that is being written: the typed line has its own rows below the text. Before
 * more text is written these rows are erased and the cursor returns to the end of the text; afterwards they are written again.
 */
export class TypedBelow {
  readonly #options: TypedBelowOptions;
  /** Column where the text ends, from 0. */
  #column = 0;
  /** Rows between the end of the text and the cursor; 0 while no typed line is shown. */
  #rowsBelow = 0;
  #typed = '';

  constructor(options: TypedBelowOptions) {
    this.#options = options;
  }

  /** Writes more of the text by `write`. */
  print(text: string, write: (text: string) => void): void {
    this.#erase();
    write(text);
    this.#advance(text);
    this.#draw();
  }

  /** Shows what is typed now; '' for nothing. */
  type(typed: string): void {
    this.#erase();
    this.#typed = typed;
    this.#draw();
  }

  /** Nothing is shown below any more; the cursor is at the end of the text. */
  end(): void {
    this.type('');
    this.#column = 0;
  }

  #erase(): void {
    if (this.#rowsBelow === 0) return;
    const { write } = this.#options;
    const upToTyped = this.#rowsBelow - 1;
    write(`\r${upToTyped > 0 ? `${ESC}[${upToTyped}A` : ''}${ESC}[J${ESC}[1A${ESC}[${this.#column + 1}G`);
    this.#rowsBelow = 0;
  }

  #draw(): void {
    if (this.#typed === '') return;
    const { write, columns } = this.#options;
    const width = Math.max(2, columns());
    write(`\r\n${this.#typed}`);
    this.#rowsBelow = 1 + Math.floor(Math.max(0, textWidth(this.#typed) - 1) / width);
  }

  /** Follows the cursor through a text; the end of a full row is at the start of the next. */
  #advance(text: string): void {
    const { write, columns } = this.#options;
    const width = Math.max(2, columns());
    for (const character of text.replace(ANSI, '')) {
      if (character === '\n' || character === '\r') this.#column = 0;
      else if (character === '\t') this.#column = Math.min(width - 1, (Math.floor(this.#column / 8) + 1) * 8);
      else {
        const taken = textWidth(character);
        if (this.#column + taken > width) this.#column = 0;
        this.#column += taken;
      }
    }
    if (this.#column < width) return;
    // A terminal wraps only at the next character: move to the next row now, so that the end of the text can be found again.
    write('\r\n');
    this.#column = 0;
  }
}
