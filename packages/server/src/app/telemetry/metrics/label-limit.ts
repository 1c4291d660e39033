/** Most values of one label for names that agents and clients choose; further ones share `other`. */
const MAX_LABEL_VALUES = 200;

/** Limits the values of a label over the life of the process. */
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
