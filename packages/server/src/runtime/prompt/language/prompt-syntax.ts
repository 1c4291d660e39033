import { createRequire } from 'node:module';
import { applyFilter, hasExpressions, isFilter } from '../../../resources/expressions/index.ts';
import { isKnownPath } from './prompt-variables.ts';

type Liquid = typeof import('liquidjs');
type Tokenizer = InstanceType<Liquid['Tokenizer']>;
type TopLevelToken = ReturnType<Tokenizer['readTopLevelTokens']>[number];
type OutputToken = ReturnType<Tokenizer['readOutputToken']>;
type TagToken = InstanceType<Liquid['TagToken']>;
type Token = InstanceType<Liquid['Token']>;
type FilterToken = ReturnType<Tokenizer['readFilters']>[number];

/** A variable with its names, as the tokenizer reads it; `variable` is set when it begins with a literal. */
interface PropertyAccessToken extends Token {
  readonly variable: unknown;
  readonly props: readonly (Token & { readonly content?: unknown })[];
}

/** A piece of a parsed prompt: literal text, or a value with its filters. */
export type PromptPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: readonly string[]; readonly filters: readonly PromptFilter[] };

interface PromptFilter {
  readonly name: string;
  /** '' unless the filter is `default`. */
  readonly argument: string;
}

/** `offset` counts UTF-16 units of the prompt. */
interface PromptProblem {
  readonly offset: number;
  readonly message: string;
}

export interface ParsedPrompt {
  readonly pieces: readonly PromptPiece[];
  readonly problems: readonly PromptProblem[];
}

/** True for the name of a filter of the prompt language: those of templates, and `default`. */
const isPromptFilter = (name: string): boolean => name === 'default' || isFilter(name);

/** The value after a filter; only `default` reads the argument, which replaces an empty value. */
export const applyPromptFilter = (value: string, filter: PromptFilter): string => {
  if (isFilter(filter.name)) return applyFilter(value, filter.name);
  return filter.name === 'default' && value === '' ? filter.argument : value;
};

/** Quoted texts of an expression; the tokenizer skips bars without a filter, so bars are counted outside of these. */
const QUOTED = /"[^"]*"|'[^']*'/g;

const require = createRequire(import.meta.url);

/**
 * Reads a prompt with the tokenizer of the template library, loaded here at the first one with an expression, and admits only
 * `{{ root.path | filter }}` and raw blocks. Never throws for bad input.
 */
export const parsePrompt = (text: string): ParsedPrompt => {
  if (!hasExpressions(text)) return { pieces: [{ kind: 'text', text }], problems: [] };
  return new PromptParser(text, require('liquidjs') as Liquid).parse();
};

class PromptParser {
  readonly #text: string;
  readonly #liquid: Liquid;
  readonly #pieces: PromptPiece[] = [];
  readonly #problems: PromptProblem[] = [];

  constructor(text: string, liquid: Liquid) {
    this.#text = text;
    this.#liquid = liquid;
  }

  parse(): ParsedPrompt {
    try {
      const tokens = new this.#liquid.Tokenizer(this.#text).readTopLevelTokens();
      for (const token of tokens) this.#take(token);
    } catch (error) {
      this.#noteSyntax(error);
    }
    return { pieces: this.#pieces, problems: this.#problems };
  }

  /** Errors of the tokenizer carry the token they begin at; anything else is not about the text. */
  #noteSyntax(error: unknown, fallback = 0): void {
    if (!(error instanceof this.#liquid.TokenizationError)) throw error;
    const message = error.message.replace(/, (?:file|line):.*$/s, '');
    this.#problem((error as { token?: Token }).token?.begin ?? fallback, `bad syntax: ${message}`);
  }

  #problem(offset: number, message: string): void {
    this.#problems.push({ offset, message });
  }

  #take(token: TopLevelToken): void {
    if (token.kind === this.#liquid.TokenKind.HTML) this.#pieces.push({ kind: 'text', text: token.getText() });
    else if (token.kind === this.#liquid.TokenKind.Tag) this.#takeTag(token as TagToken);
    else this.#takeOutput(token as OutputToken);
  }

  #takeTag(token: TagToken): void {
    if (token.name !== 'raw' && token.name !== 'endraw') {
      this.#problem(token.begin, `there are no tags but raw: ${JSON.stringify(token.name)}`);
    }
  }

  #takeOutput(token: OutputToken): void {
    if (token.trimLeft || token.trimRight) this.#problem(token.begin, 'expressions are written {{ }}, without hyphens');
    const { input, contentRange } = token;
    const reader = new this.#liquid.Tokenizer(input, this.#liquid.defaultOperators, undefined, contentRange);
    try {
      const value = reader.readFilteredValue();
      reader.skipBlank();
      if (!reader.end()) this.#problem(reader.p, `unexpected ${JSON.stringify(reader.remaining().trim())}`);
      if (
        this.#text
          .slice(...contentRange)
          .replace(QUOTED, '')
          .split('|').length !==
        value.filters.length + 1
      ) {
        this.#problem(token.begin, 'a filter name is missing');
      }
      const path = this.#path([...value.initial.postfix], token.begin);
      const filters = value.filters.map((filter) => this.#filter(filter)).filter((filter) => filter !== undefined);
      if (path !== undefined) this.#pieces.push({ kind: 'value', path, filters });
    } catch (error) {
      this.#noteSyntax(error, token.begin);
    }
  }

  /** Words and quoted names only: no literals, ranges, operators or computed names. */
  #path(tokens: readonly Token[], offset: number): readonly string[] | undefined {
    const [only, ...others] = tokens;
    const access = only?.kind === this.#liquid.TokenKind.PropertyAccess ? (only as PropertyAccessToken) : undefined;
    if (access === undefined || others.length > 0 || access.variable !== undefined) {
      this.#problem(offset, 'an expression is one variable with filters');
      return undefined;
    }
    const { Word, Quoted } = this.#liquid.TokenKind;
    const names = access.props.map(({ kind, content }) => (kind === Word || kind === Quoted ? content : undefined));
    const path = names.filter((name) => typeof name === 'string');
    if (path.length === names.length && isKnownPath(path)) return path;
    this.#problem(access.begin, `there is no variable ${access.getText()}`);
    return undefined;
  }

  #filter(token: FilterToken): PromptFilter | undefined {
    if (!isPromptFilter(token.name)) {
      this.#problem(token.begin, `there is no filter ${JSON.stringify(token.name)}`);
      return undefined;
    }
    const argument = this.#argument(token);
    if (argument !== undefined) return { name: token.name, argument };
    this.#problem(
      token.begin,
      token.name === 'default' ? 'default takes one text or number' : `${token.name} takes no argument`,
    );
    return undefined;
  }

  #argument({ name, args }: FilterToken): string | undefined {
    if (name !== 'default') return args.length === 0 ? '' : undefined;
    const [argument, ...others] = args;
    if (argument === undefined || Array.isArray(argument) || others.length > 0) return undefined;
    const { Number: NumberKind, Quoted } = this.#liquid.TokenKind;
    if (argument.kind === Quoted) return String((argument as unknown as { content: unknown }).content);
    return argument.kind === NumberKind ? argument.getText() : undefined;
  }
}
