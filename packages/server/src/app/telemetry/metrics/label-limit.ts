/** Most values that one label takes from names that agents and clients choose; the rest share `other`. */
const MAX_LABEL_VALUES = 200;

/** Keeps a label's values bounded for as long as the process lives. */
export class LabelLimit {
  readonly #known = new Set<string>();
  readonly #max: number;

  constructor(max = MAX_LABEL_VALUES) {
    this.#max = max;
  }

  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#max) return 'other';
    this.#known.add(value);
    return value;
  }
}
