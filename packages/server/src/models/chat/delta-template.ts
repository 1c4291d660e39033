/** Texts without these need no decoding inside JSON. */
const NEEDS_DECODING = /["\\]/;

/** How often a new shape is learned before the stream is taken as irregular. */
const MAX_LESSONS = 4;

/**
 * Shortcut of the hot path: the events of one answer differ only in their text. Once the letters before and after the
 * text are known, an event that has exactly these and a text without quotes or backslashes needs no JSON parser; it can
 * only mean that text. Everything else goes the long way.
 */
export class DeltaTemplate {
  #before = '';
  #after = '';
  #lessons = 0;

  /** The text of an event of the known shape, else undefined. */
  match(data: string): string | undefined {
    const before = this.#before;
    if (before === '' || !data.startsWith(before) || !data.endsWith(this.#after)) return undefined;
    const end = data.length - this.#after.length;
    if (end < before.length) return undefined;
    const text = data.slice(before.length, end);
    return NEEDS_DECODING.test(text) ? undefined : text;
  }

  /** Remembers the shape of an event that carried nothing but this text. */
  learn(data: string, text: string): void {
    if (this.#lessons >= MAX_LESSONS || text === '' || NEEDS_DECODING.test(text)) return;
    this.#lessons += 1;
    const mark = `"content":"${text}"`;
    const at = data.indexOf(mark);
    if (at < 0 || data.indexOf(mark, at + 1) >= 0) return;
    const start = at + '"content":"'.length;
    this.#before = data.slice(0, start);
    this.#after = data.slice(start + text.length);
  }
}
