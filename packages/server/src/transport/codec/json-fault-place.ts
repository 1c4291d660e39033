/** What may come next: a value, a key, the colon after it, a comma or the end of the list or object, nothing. */
type Want = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'next' | 'nothing';

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const matchEnd = (form: RegExp, text: string, at: number): number => {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
};

/** End of the string that begins at `at`; the place of what cannot be in it as a negative number, less one. */
const stringEnd = (text: string, at: number): number => {
  let index = at + 1;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return index + 1;
    const next = code === 0x5c ? matchEnd(ESCAPE, text, index) : code < 0x20 ? index : index + 1;
    if (next === index) return -index - 1;
    index = next;
  }
  return -index - 1;
};

/** Reads a text that is not JSON up to where it stops being JSON. */
class FaultSearch {
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #want: Want = 'value';
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Offset of the first character that cannot continue; the length of the text where more should have come. */
  run(): number {
    for (;;) {
      this.#at = matchEnd(SPACE, this.#text, this.#at);
      if (this.#at >= this.#text.length) return this.#text.length;
      const before = this.#at;
      this.#step(this.#text.charAt(before));
      if (this.#at <= before) return this.#at < 0 ? -this.#at - 1 : before;
    }
  }

  /** Takes one token; one that may not be here leaves the place as it is. */
  #step(first: string): void {
    const want = this.#want;
    if (want === 'colon') this.#take(first === ':', 'value');
    else if (want === 'next') this.#separator(first);
    else if (want.startsWith('key')) this.#key(first);
    else if (want.startsWith('value')) this.#value(first);
  }

  #take(isRight: boolean, then: Want): void {
    if (!isRight) return;
    this.#at += 1;
    this.#want = then;
  }

  #separator(first: string): void {
    const isObject = this.#open.at(-1) === '{';
    if (first === ',') this.#take(true, isObject ? 'key' : 'value');
    else if (first === (isObject ? '}' : ']')) this.#close();
  }

  #key(first: string): void {
    if (first === '}' && this.#want === 'key or end') this.#close();
    else if (first === '"') this.#string('colon');
  }

  #value(first: string): void {
    if (first === ']' && this.#want === 'value or end') this.#close();
    else if (first === '{' || first === '[') {
      this.#open.push(first);
      this.#take(true, first === '{' ? 'key or end' : 'value or end');
    } else if (first === '"') this.#string(this.#after());
    else {
      const end = matchEnd(SCALAR, this.#text, this.#at);
      if (end > this.#at) this.#want = this.#after();
      this.#at = end;
    }
  }

  #string(then: Want): void {
    this.#at = stringEnd(this.#text, this.#at);
    this.#want = then;
  }

  #close(): void {
    this.#open.pop();
    this.#take(true, this.#after());
  }

  #after(): Want {
    return this.#open.length === 0 ? 'nothing' : 'next';
  }
}

/** Where a text that `JSON.parse` refuses stops being JSON, both from 1; columns in UTF-16 units. */
export const jsonFaultPlace = (text: string): { readonly line: number; readonly column: number } => {
  const offset = new FaultSearch(text).run();
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
};
