import { type Located, locate, type Report } from '../located.ts';

/** What a kind may use while it parses: error reports, files and variables. */
export interface ParseContext {
  /** Key the value belongs to; its name gives plain numbers their unit. */
  readonly key: string;
  readonly report: Report;
  /** A variable of the environment, for `{env: NAME}`. */
  readonly variable: (name: string) => string | undefined;
  /** Text of a file, undefined when there is none, for `{file: path}`. */
  readonly readFile: (path: string) => string | undefined;
}

/** How values of a key are written, checked and shown. `parse` reports an error and returns undefined when the value is refused. */
export interface Kind<T> {
  /** For the reference, such as `duration` or `one of auto, manual`. */
  readonly label: string;
  parse(located: Located, context: ParseContext): T | undefined;
  /** JSON value for people and tools, in the form in which it is written; secrets masked. */
  show(value: T, key: string): unknown;
  /** Converts the text of a flag or an environment variable into the form that `parse` takes. */
  fromText(text: string, origin: Located['origin']): Located;
}

/** Shown instead of every secret value. */
export const MASK = '***';

/** Reports an error and returns undefined, so that a parser can end with `return refuse(...)`. */
export const refuse = (located: Located, context: ParseContext, text: string): undefined => {
  context.report({ severity: 'error', label: located.origin.label, key: context.key, text });
  return undefined;
};

/** What is between the scheme of an address and its last @: user and password, whatever characters they hold. */
const USER_INFORMATION = /^("(?:[a-z][a-z0-9+.-]*:\/+)?).*@/i;

/** A refused value in an error text; long ones are cut, credentials in addresses are masked. */
export const describe = (located: Located): string => {
  if (located.kind !== 'scalar') return `a ${located.kind}`;
  const text = (JSON.stringify(located.value) ?? '').replace(USER_INFORMATION, `$1${MASK}@`);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** Text unchanged: flags and variables of scalar kinds. */
export const scalarFromText = (text: string, origin: Located['origin']): Located => ({
  kind: 'scalar',
  origin,
  value: text,
});

/** JSON text of a map or list; text that is not JSON stays a scalar and is refused by the kind. */
export const jsonFromText = (text: string, origin: Located['origin']): Located => {
  try {
    return locate(JSON.parse(text), origin);
  } catch (error) {
    if (error instanceof SyntaxError) return scalarFromText(text, origin);
    throw error;
  }
};
