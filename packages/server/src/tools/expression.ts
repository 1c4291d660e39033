/**
 * A small parser and evaluator of arithmetic: numbers, + - * / % ^, parentheses, named constants and functions.
 * Nothing else: no names of the host, no assignment, no text. Depth and length are limited.
 */

/** Why an expression is refused; `position` counts characters from 1. */
export class ExpressionError extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(`${message} (at character ${position})`);
    this.name = 'ExpressionError';
    this.position = position;
  }
}

export const MAX_EXPRESSION_CHARS = 1000;
const MAX_DEPTH = 64;

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ['pi', Math.PI],
  ['e', Math.E],
]);

interface NamedFunction {
  readonly minimum: number;
  readonly maximum: number;
  readonly apply: (values: readonly number[]) => number;
}

const one = (apply: (value: number) => number): NamedFunction => ({
  minimum: 1,
  maximum: 1,
  apply: ([value = Number.NaN]) => apply(value),
});
const many = (apply: (values: readonly number[]) => number): NamedFunction => ({ minimum: 1, maximum: 100, apply });
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Moves the decimal point by text, which loses no digit. */
const shiftPoint = (value: number, places: number): number => {
  const [digits = '', exponent = '0'] = String(value).split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
};

/** Rounds half away from zero at a number of decimals, by decimal text so that 1.005 rounds to 1.01. */
const roundTo = (value: number, decimals: number): number => {
  if (!Number.isInteger(decimals) || Math.abs(decimals) > 15) return Number.NaN;
  const rounded = shiftPoint(Math.round(shiftPoint(Math.abs(value), decimals)), -decimals);
  return Math.sign(value) * rounded;
};

const FUNCTIONS: ReadonlyMap<string, NamedFunction> = new Map([
  ['abs', one(Math.abs)],
  ['sqrt', one(Math.sqrt)],
  ['cbrt', one(Math.cbrt)],
  ['exp', one(Math.exp)],
  ['ln', one(Math.log)],
  ['log2', one(Math.log2)],
  ['log10', one(Math.log10)],
  ['sin', one(Math.sin)],
  ['cos', one(Math.cos)],
  ['tan', one(Math.tan)],
  ['asin', one(Math.asin)],
  ['acos', one(Math.acos)],
  ['atan', one(Math.atan)],
  ['floor', one(Math.floor)],
  ['ceil', one(Math.ceil)],
  ['trunc', one(Math.trunc)],
  ['round', { minimum: 1, maximum: 2, apply: ([value = Number.NaN, decimals = 0]) => roundTo(value, decimals) }],
  ['pow', { minimum: 2, maximum: 2, apply: ([base = Number.NaN, exponent = Number.NaN]) => base ** exponent }],
  ['mod', { minimum: 2, maximum: 2, apply: ([left = Number.NaN, right = Number.NaN]) => left % right }],
  ['min', many((values) => Math.min(...values))],
  ['max', many((values) => Math.max(...values))],
  ['sum', many(sum)],
  ['avg', many((values) => sum(values) / values.length)],
]);

/** Value of an expression; throws ExpressionError for bad syntax and for results that are not a finite number. */
export const evaluateExpression = (text: string): number => {
  if (text.length > MAX_EXPRESSION_CHARS)
    throw new ExpressionError(`longer than ${MAX_EXPRESSION_CHARS} characters`, MAX_EXPRESSION_CHARS);
  return new Evaluator(text).run();
};

/** Evaluates while parsing, one method per level of precedence; `^` binds tighter than a sign and groups to the right. */
class Evaluator {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): number {
    const value = this.#sum();
    if (this.#peek() !== '') this.#fail(`unexpected ${JSON.stringify(this.#peek())}`);
    return value;
  }

  #sum(): number {
    let value = this.#product();
    for (let sign = this.#take('+-'); sign !== ''; sign = this.#take('+-')) {
      const right = this.#product();
      value = this.#finite(sign === '+' ? value + right : value - right);
    }
    return value;
  }

  #product(): number {
    let value = this.#signed();
    for (let sign = this.#take('*/%'); sign !== ''; sign = this.#take('*/%')) {
      const at = this.#at;
      const right = this.#signed();
      if (sign !== '*' && right === 0) throw new ExpressionError('division by zero', at);
      if (sign === '*') value *= right;
      else value = sign === '/' ? value / right : value % right;
      this.#finite(value);
    }
    return value;
  }

  #signed(): number {
    const sign = this.#take('+-');
    if (sign === '') return this.#power();
    return this.#nested(() => (sign === '-' ? -this.#signed() : this.#signed()));
  }

  #power(): number {
    const base = this.#atom();
    if (this.#take('^') === '') return base;
    return this.#nested(() => this.#finite(base ** this.#signed()));
  }

  #atom(): number {
    if (this.#take('(') !== '') {
      const value = this.#nested(() => this.#sum());
      this.#expect(')');
      return value;
    }
    return this.#number() ?? this.#named();
  }

  #number(): number | undefined {
    const digits = this.#match(/(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y);
    return digits === undefined ? undefined : this.#finite(Number(digits));
  }

  #named(): number {
    const start = this.#at;
    const name = this.#match(/[A-Za-z][A-Za-z0-9]*/y);
    if (name === undefined)
      return this.#fail(
        this.#peek() === '' ? 'the expression ends too early' : `unexpected ${JSON.stringify(this.#peek())}`,
      );
    const word = name.toLowerCase();
    const constant = CONSTANTS.get(word);
    if (constant !== undefined) return constant;
    const called = FUNCTIONS.get(word);
    if (called === undefined) throw new ExpressionError(`there is no ${name}`, start + 1);
    const values = this.#arguments();
    if (values.length < called.minimum || values.length > called.maximum) {
      throw new ExpressionError(
        `${word} takes ${called.minimum}${called.minimum === called.maximum ? '' : ` to ${called.maximum}`} numbers`,
        start + 1,
      );
    }
    return this.#finite(called.apply(values));
  }

  #arguments(): readonly number[] {
    this.#expect('(');
    const values: number[] = [];
    if (this.#take(')') !== '') return values;
    do values.push(this.#nested(() => this.#sum()));
    while (this.#take(',') !== '');
    this.#expect(')');
    return values;
  }

  #nested(parse: () => number): number {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#fail('too deeply nested');
    const value = parse();
    this.#depth -= 1;
    return value;
  }

  /** Next character after blanks, '' at the end. */
  #peek(): string {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text.charAt(this.#at);
  }

  /** Takes one of the characters; `**` counts as `^`. */
  #take(characters: string): string {
    const next = this.#peek();
    if (next === '*' && this.#text.charAt(this.#at + 1) === '*') {
      if (!characters.includes('^')) return '';
      this.#at += 2;
      return '^';
    }
    if (next === '' || !characters.includes(next)) return '';
    this.#at += 1;
    return next;
  }

  #match(pattern: RegExp): string | undefined {
    this.#peek();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #expect(character: string): void {
    if (this.#take(character) === '') this.#fail(`${JSON.stringify(character)} is missing`);
  }

  #finite(value: number): number {
    return Number.isFinite(value) ? value : this.#fail('the result is not a finite real number');
  }

  #fail(message: string): never {
    throw new ExpressionError(message, this.#at + 1);
  }
}
