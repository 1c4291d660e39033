/** Texts with these go through the JSON parser. */
const QUOTE = '"';
const BACKSLASH = '\\';

/** How often a new shape is learned before the stream is taken as irregular. */
const MAX_LESSONS = 4;

/**
 * Shortcut of the hot path: the events of one answer differ only in their text. Once the bytes before and after the text
 * are known, a network chunk that has exactly these, and between them a text without quotes or backslashes, is one event
 * that can only mean that text: it needs no JSON parser (0.2 instead of 0.9 microseconds). Everything else goes the
 * long way.
 */
export class DeltaTemplate {
  #before = Buffer.alloc(0);
  #after = Buffer.alloc(0);
  #lessons = 0;

  /** The text of a chunk of the known shape, else undefined. */
  match(chunk: Buffer): string | undefined {
    const start = this.#before.length;
    const end = chunk.length - this.#after.length;
    if (start === 0 || end <= start) return undefined;
    if (chunk.compare(this.#before, 0, start, 0, start) !== 0) return undefined;
    if (chunk.compare(this.#after, 0, this.#after.length, end, chunk.length) !== 0) return undefined;
    const text = chunk.toString('utf8', start, end);
    return text.includes(QUOTE) || text.includes(BACKSLASH) || text.includes('\n') ? undefined : text;
  }

  /** Remembers the shape of an event whose data carried nothing but this text. */
  learn(data: string, text: string): void {
    if (this.#lessons >= MAX_LESSONS || text === '' || text.includes(QUOTE) || text.includes(BACKSLASH)) return;
    this.#lessons += 1;
    const opening = '"content":"';
    const mark = `${opening}${text}"`;
    const at = data.indexOf(mark);
    if (at < 0 || data.includes(mark, at + 1)) return;
    const start = at + opening.length;
    this.#before = Buffer.from(`data: ${data.slice(0, start)}`);
    this.#after = Buffer.from(`${data.slice(start + text.length)}\n\n`);
  }
}
