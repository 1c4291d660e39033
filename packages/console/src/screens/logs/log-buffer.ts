/** A line as far as it is kept. */
export interface KeptLine {
  readonly id: string;
  /** Unix microseconds. */
  readonly timestamp: bigint;
  readonly level: string;
  readonly message: string;
  /** JSON of the facts of the line. */
  readonly fieldsJson: string;
}

/** What is shown of the lines. */
export interface LineFilter {
  /** The least level; '' is all. */
  readonly level: string;
  /** Upper and lower case are the same. */
  readonly contains: string;
}

export const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'];

const LINES_MAX = 100_000;

/** The newest lines of a log, and those of them that fit a filter; the oldest go when there are too many. */
export class LogBuffer {
  readonly #max: number;
  readonly #watchers = new Set<() => void>();
  #lines: readonly KeptLine[] = [];
  #shown: readonly KeptLine[] = [];
  #filter: LineFilter = { level: '', contains: '' };

  constructor(max = LINES_MAX) {
    this.#max = max;
  }

  /** All that is kept, oldest first. */
  get lines(): readonly KeptLine[] {
    return this.#lines;
  }

  /** Those that fit the filter; the same array while nothing changed. */
  get shown(): readonly KeptLine[] {
    return this.#shown;
  }

  /** Calls back after each change; answers how to stop. */
  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  push(lines: readonly KeptLine[]): void {
    const all = [...this.#lines, ...lines];
    const surplus = Math.max(0, all.length - this.#max);
    const gone = all.slice(0, surplus).filter((line) => this.#fits(line)).length;
    this.#lines = all.slice(surplus);
    // Only new and old lines are compared: a full buffer would take too long for each batch.
    this.#become([...this.#shown, ...lines.filter((line) => this.#fits(line))].slice(gone));
  }

  setFilter(filter: LineFilter): void {
    this.#filter = filter;
    this.#become(this.#lines.filter((line) => this.#fits(line)));
  }

  clear(): void {
    this.#lines = [];
    this.#become([]);
  }

  #fits({ level, message, fieldsJson }: KeptLine): boolean {
    const { level: least, contains } = this.#filter;
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return false;
    const wanted = contains.toLowerCase();
    return wanted === '' || message.toLowerCase().includes(wanted) || fieldsJson.toLowerCase().includes(wanted);
  }

  #become(shown: readonly KeptLine[]): void {
    this.#shown = shown;
    for (const changed of this.#watchers) changed();
  }
}

/** A line as text, such as `2030-01-31T09:30:00.000Z warn message {"a":1}`. */
export const lineText = ({ timestamp, level, message, fieldsJson }: KeptLine): string =>
  [new Date(Number(timestamp / 1_000n)).toISOString(), level, message, fieldsJson === '{}' ? '' : fieldsJson]
    .filter((part) => part !== '')
    .join(' ');
