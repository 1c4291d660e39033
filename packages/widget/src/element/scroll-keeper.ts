/** Nearer to the end than this, in pixels, the reader is at the end. */
const NEAR = 48;

/**
 * Where a reader is in a list that grows at both ends: at the end it follows what is being written, elsewhere what is being read stays
 * where it is.
 */
export class ScrollKeeper {
  #isAtEnd = true;
  #height = 0;
  #top = 0;
  #first: string | undefined;

  /** The newest message is in view, and stays in view. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** From now on the end is in view. */
  follow(): void {
    this.#isAtEnd = true;
  }

  /** The reader scrolled; true when that changed whether the end is in view. */
  moved({
    scrollTop,
    scrollHeight,
    clientHeight,
  }: Pick<Element, 'scrollTop' | 'scrollHeight' | 'clientHeight'>): boolean {
    const before = this.#isAtEnd;
    // A picture that was loaded makes the list longer below the reader, who did not scroll.
    const movedUp = scrollTop < this.#top;
    this.#isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR || (before && !movedUp);
    this.#top = scrollTop;
    return before !== this.#isAtEnd;
  }

  /** To be called when the list has changed; `first` names what it begins with. */
  settle(log: Pick<Element, 'scrollTop' | 'scrollHeight'>, first: string | undefined): void {
    const grown = log.scrollHeight - this.#height;
    const isLonger = this.#first !== undefined && first !== this.#first;
    if (this.#isAtEnd) log.scrollTop = log.scrollHeight;
    else if (isLonger) log.scrollTop += grown;
    this.#top = log.scrollTop;
    this.#height = log.scrollHeight;
    this.#first = first;
  }
}
