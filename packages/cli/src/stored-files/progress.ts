import type { CommandContext } from '../context.ts';
import { cutToWidth, sizeText } from '../terminal/index.ts';

/** Milliseconds between two updates of the line. */
const REDRAW_MS = 100;

/** A line that shows the progress of a transfer; only on a terminal and not with --quiet. */
export class Progress {
  readonly #context: CommandContext;
  readonly #label: string;
  readonly #total: number;
  readonly #isShown: boolean;
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(context: CommandContext, label: string, totalBytes: number) {
    this.#context = context;
    this.#label = label;
    this.#total = totalBytes;
    this.#isShown = context.host.stderr.isTerminal && context.options.quiet !== true;
  }

  /** Passes the chunks on and counts them. */
  async *count(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const piece of pieces) {
      yield piece;
      this.#done += piece.length;
      this.#draw();
    }
  }

  /** Starts again, for a transfer that is repeated. */
  restart(): void {
    this.#done = 0;
  }

  /** Removes the line. */
  end(): void {
    if (this.#isShown) this.#context.host.stderr.write('\r\u001b[K');
  }

  #draw(): void {
    const now = this.#context.host.nowMs();
    if (!this.#isShown || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    const percent = this.#total === 0 ? 100 : Math.floor((100 * this.#done) / this.#total);
    const text = `${this.#label}  ${percent} %  ${sizeText(this.#done)} of ${sizeText(this.#total)}`;
    this.#context.host.stderr.write(`\r${cutToWidth(text, this.#context.host.stderr.columns - 1)}\u001b[K`);
  }
}
