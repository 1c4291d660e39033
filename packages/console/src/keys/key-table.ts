/** A key, or two one after the other, that does something while its owner is shown. */
export interface KeyBinding {
  /** Such as `?`, `c`, `g i` or `mod+k`, where `mod` is Cmd on a Mac and Ctrl elsewhere. */
  readonly keys: string;
  /** What it does, for the list of keys. */
  readonly does: string;
  readonly run: () => void;
}

/** A key press as far as it matters here. */
export interface Press {
  readonly key: string;
  readonly isMod: boolean;
  /** The focus is where text is typed. */
  readonly isTyping: boolean;
}

/** After this time, in milliseconds, the first key of two is forgotten. */
const SEQUENCE_MS = 1_200;

/** The bindings of what is shown; the newest wins. */
export class KeyTable {
  #bindings: readonly KeyBinding[] = [];
  #first: { readonly key: string; readonly at: number } | undefined;
  readonly #watchers = new Set<() => void>();

  get bindings(): readonly KeyBinding[] {
    return this.#bindings;
  }

  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /** Answers how to remove it again. */
  add(binding: KeyBinding): () => void {
    this.#change([...this.#bindings, binding]);
    return () => this.#change(this.#bindings.filter((other) => other !== binding));
  }

  /** What a press at this time, in milliseconds, does; undefined when it means nothing here. */
  find({ key, isMod, isTyping }: Press, nowMs: number): KeyBinding | undefined {
    if (isTyping && !isMod) return undefined;
    const pressed = isMod ? `mod+${key}` : key;
    const { key: first, at } = this.#first ?? { key: '', at: Number.NEGATIVE_INFINITY };
    this.#first = undefined;
    const both = nowMs - at < SEQUENCE_MS ? this.#named(`${first} ${pressed}`) : undefined;
    if (both !== undefined) return both;
    if (this.#bindings.some(({ keys }) => keys.startsWith(`${pressed} `))) this.#first = { key: pressed, at: nowMs };
    return this.#named(pressed);
  }

  #named(keys: string): KeyBinding | undefined {
    return this.#bindings.findLast((binding) => binding.keys === keys);
  }

  #change(bindings: readonly KeyBinding[]): void {
    this.#bindings = bindings;
    for (const changed of this.#watchers) changed();
  }
}
