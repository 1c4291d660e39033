import { type FilterName, isFilter } from './expression-filters.ts';

/** Names of a variable, root first. */
export type ExpressionPath = readonly string[];

/** What replaces an undefined or empty value. */
type DefaultValue = { readonly path: ExpressionPath } | { readonly value: string | number };

/** One step of an expression: a filter, or a default with its fallback. */
type ExpressionStep = { readonly filter: FilterName } | { readonly filter: 'default'; readonly fallback: DefaultValue };

/** A piece of a text: literal text, literal text of a raw block, or a variable with its steps. */
export type ExpressionPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'raw'; readonly text: string; readonly source: string }
  | {
      readonly kind: 'value';
      readonly path: ExpressionPath;
      readonly steps: readonly ExpressionStep[];
      /** As written, braces included. */
      readonly source: string;
      readonly offset: number;
    };

/** `offset` counts UTF-16 units of the text. */
export interface TextProblem {
  readonly offset: number;
  readonly message: string;
}

export interface ParsedText {
  readonly pieces: readonly ExpressionPiece[];
  readonly problems: readonly TextProblem[];
}

/** True when a text can hold an expression or raw block at all. */
export const hasExpressions = (text: string): boolean => text.includes('{{') || text.includes('{%');

const OPENING = /\{\{|\{%/g;
const RAW = /^\{%\s*raw\s*%\}/;
const RAW_END = /\{%\s*endraw\s*%\}/g;
const NAME = /[A-Za-z_][A-Za-z0-9_-]*/y;
const QUOTED = /"([^"\n]*)"|'([^'\n]*)'/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?![A-Za-z0-9_.])/y;
const BLANK = /[ \t\r\n]*/y;

/** Parses a text; never throws. Expressions are found by a scan from left to right, so a value never becomes syntax. */
export const parseText = (text: string): ParsedText => {
  const pieces: ExpressionPiece[] = [];
  const problems: TextProblem[] = [];
  let at = 0;
  const literal = (end: number): void => {
    if (end > at) pieces.push({ kind: 'text', text: text.slice(at, end) });
  };
  for (;;) {
    OPENING.lastIndex = at;
    const start = OPENING.exec(text)?.index ?? text.length;
    literal(start);
    if (start === text.length) return { pieces, problems };
    const read = text.startsWith('{%', start) ? readRaw(text, start) : readValue(text, start);
    if ('piece' in read) pieces.push(read.piece);
    else problems.push(read.problem);
    at = read.end;
  }
};

type Read =
  | { readonly piece: ExpressionPiece; readonly end: number }
  | { readonly problem: TextProblem; readonly end: number };

const readRaw = (text: string, start: number): Read => {
  const opening = RAW.exec(text.slice(start))?.[0];
  if (opening === undefined)
    return { problem: { offset: start, message: 'there are no tags but raw' }, end: start + 2 };
  RAW_END.lastIndex = start + opening.length;
  const closing = RAW_END.exec(text);
  if (closing === null) return { problem: { offset: start, message: 'the raw block is not closed' }, end: text.length };
  const end = closing.index + closing[0].length;
  const inner = text.slice(start + opening.length, closing.index);
  return { piece: { kind: 'raw', text: inner, source: text.slice(start, end) }, end };
};

const readValue = (text: string, start: number): Read => {
  const reader = new ExpressionReader(text, start + 2);
  const problem = (message: string): Read => {
    const close = text.indexOf('}}', start);
    return { problem: { offset: reader.at, message }, end: close < 0 ? text.length : close + 2 };
  };
  const path = reader.path();
  if (path === undefined) return problem('an expression is one variable with filters');
  const steps: ExpressionStep[] = [];
  while (reader.take('|')) {
    const step = reader.step();
    if (typeof step === 'string') return problem(step);
    steps.push(step);
  }
  if (!reader.take('}}')) return problem('the expression does not end with }}');
  const source = text.slice(start, reader.at);
  return { piece: { kind: 'value', path, steps, source, offset: start }, end: reader.at };
};

class ExpressionReader {
  readonly #text: string;
  at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }

  take(sign: string): boolean {
    this.#match(BLANK);
    if (!this.#text.startsWith(sign, this.at)) return false;
    this.at += sign.length;
    return true;
  }

  /** `name.name["any text"]`; undefined if there is none at this position. */
  path(): ExpressionPath | undefined {
    this.#match(BLANK);
    const root = this.#match(NAME);
    if (root === undefined) return undefined;
    const path = [root[0]];
    for (;;) {
      const sign = this.#text[this.at];
      if (sign !== '.' && sign !== '[') return path;
      this.at += 1;
      const name = sign === '.' ? this.#match(NAME)?.[0] : this.#quoted();
      if (name === undefined || (sign === '[' && !this.take(']'))) return undefined;
      path.push(name);
    }
  }

  #quoted(): string | undefined {
    const found = this.#match(QUOTED);
    return found === undefined ? undefined : (found[1] ?? found[2]);
  }

  /** One filter, or the error in it. */
  step(): ExpressionStep | string {
    this.#match(BLANK);
    const name = this.#match(NAME)?.[0];
    if (name === undefined) return 'a filter name is missing';
    if (name === 'default') {
      const fallback = this.take(':') ? this.#fallback() : undefined;
      return fallback === undefined ? 'default takes one text, number or variable' : { filter: 'default', fallback };
    }
    if (!isFilter(name)) return `there is no filter ${name}`;
    return this.take(':') ? `${name} takes no argument` : { filter: name };
  }

  #fallback(): DefaultValue | undefined {
    this.#match(BLANK);
    const quoted = this.#quoted();
    if (quoted !== undefined) return { value: quoted };
    const number = this.#match(NUMBER)?.[0];
    if (number !== undefined) return { value: Number(number) };
    const path = this.path();
    return path === undefined ? undefined : { path };
  }
}
