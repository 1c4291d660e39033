import { maskCode } from '../checks/mask-code.ts';

const testFunction = /(?<![.\w$])(?:it|test)\b/g;
const chained = /\s*\.\s*(\w+)/y;
const titleFirst = /\s*\(\s*"(\d+)"\s*[,)]/y;
/** Members of `it` whose own parentheses hold no title: it is in those that follow. */
const takesNoTitle = new Set(['each', 'for', 'skipIf', 'runIf', 'extend']);
const escaped = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|[\s\S])/gi;
const controls: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/**
 * Titles of the tests that a source declares by `it('…')`, `test('…')` and their members, as they are written: those that run
 * once for each of their cases with their placeholders. Text in comments and other strings is not a title.
 */
export function findTestTitles(source: string): readonly string[] {
  const { code, strings } = maskCode(source);
  return [...code.matchAll(testFunction)].flatMap((match) => {
    const index = titleIndex(code, match.index + match[0].length);
    return index === undefined ? [] : [readEscapes(strings[index] ?? '')];
  });
}

/** Index of the string that is the title of the call which begins before `position`. */
function titleIndex(code: string, position: number): number | undefined {
  let at = position;
  let member = '';
  for (;;) {
    const next = matchAt(chained, code, at);
    if (next !== null) {
      member = next[1] ?? '';
      at = chained.lastIndex;
      continue;
    }
    const title = takesNoTitle.has(member) ? null : matchAt(titleFirst, code, at);
    if (title !== null) return Number(title[1]);
    const end = afterBrackets(code, at);
    if (end === undefined) return undefined;
    at = end;
    member = '';
  }
}

function matchAt(pattern: RegExp, code: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(code);
}

/** Place behind the parentheses, or type parameters, that begin here. */
function afterBrackets(code: string, at: number): number | undefined {
  const start = at + (/^\s*/.exec(code.slice(at, at + 200))?.[0].length ?? 0);
  const open = code[start];
  if (open !== '(' && open !== '<') return undefined;
  const close = open === '(' ? ')' : '>';
  let depth = 0;
  for (let index = start; index < code.length; index += 1) {
    if (code[index] === open) depth += 1;
    else if (code[index] === close && code[index - 1] !== '=') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return undefined;
}

function readEscapes(text: string): string {
  return text.replace(escaped, (whole) => {
    const [, code] = /^\\u\{?([0-9a-f]{2,})\}?$/i.exec(whole) ?? [];
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    return controls[whole.slice(1)] ?? whole.slice(1);
  });
}
