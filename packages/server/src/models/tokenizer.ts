import { createRequire } from 'node:module';

type CountTokens = (text: string, options?: { readonly disallowedSpecial: ReadonlySet<string> }) => number;

/** Share added for models whose encoding is not published. */
const UNKNOWN_ENCODING_FACTOR = 1.1;

const NO_SPECIAL: ReadonlySet<string> = new Set();
const BLANK_RUNS = /\S+/g;

/** Tokens as the demo provider counts them: runs of non-blank characters. */
export const countWords = (text: string): number => text.match(BLANK_RUNS)?.length ?? 0;

/**
 * Counts tokens. An encoding is loaded when it is first needed (120 ms and 60 MB), so that a server that only streams
 * never pays for it.
 */
export class Tokenizer {
  readonly #require = createRequire(import.meta.url);
  readonly #loaded = new Map<string, CountTokens>();

  count(type: string, model: string, text: string): number {
    if (type === 'demo') return countWords(text);
    if (text === '') return 0;
    const isOpenai = type === 'openai';
    const encoding = isOpenai && /^gpt-(?:3\.5|4(?!o|\.\d))/.test(model) ? 'cl100k_base' : 'o200k_base';
    const count = this.#encoding(encoding)(text, { disallowedSpecial: NO_SPECIAL });
    return isOpenai ? count : Math.ceil(count * UNKNOWN_ENCODING_FACTOR);
  }

  /** Never below `count` and without loading anything: byte encodings have at most one token for each byte. */
  upperBound(type: string, text: string): number {
    if (type === 'demo') return countWords(text);
    return Math.ceil(Buffer.byteLength(text) * (type === 'openai' ? 1 : UNKNOWN_ENCODING_FACTOR));
  }

  #encoding(name: string): CountTokens {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const loaded = (this.#require(`gpt-tokenizer/encoding/${name}`) as { readonly countTokens: CountTokens })
      .countTokens;
    this.#loaded.set(name, loaded);
    return loaded;
  }
}
