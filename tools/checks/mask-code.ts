/**
 * Source text in which comments and regular expressions are blank and every string literal is replaced by `"n"`, n being
 * its index in `strings`; template texts are dropped, the code inside `${}` stays. So a pattern that looks for
 * imports cannot be misled by text that only looks like one.
 */
interface MaskedCode {
  readonly code: string;
  readonly strings: readonly string[];
  /** Comments, strings and the texts of templates, in order. */
  readonly passages: readonly Passage[];
}

/** What a file says to people. `at` is the offset of the text, which has its quotes or comment marks. */
interface Passage {
  readonly kind: 'comment' | 'string';
  readonly at: number;
  readonly text: string;
}

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\\n]|\\[\s\S])*'?|"(?:[^"\\\n]|\\[\s\S])*"?|`|\$\{|[{}]|\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;
const templateText = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{|$)/y;
const beforeRegularExpression = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in|await|yield|throw))\s*$/;

/** Masks TypeScript. Text that does not parse gives some result, never an exception: the compiler reports it. */
export function maskCode(text: string): MaskedCode {
  const strings: string[] = [];
  const passages: Passage[] = [];
  const braces: ('block' | 'template')[] = [];
  let code = '';
  let position = 0;
  const skipTemplateText = (): void => {
    templateText.lastIndex = position;
    const match = templateText.exec(text);
    if (match !== null) passages.push({ kind: 'string', at: position, text: match[0] });
    position = templateText.lastIndex;
    if (match?.[1] === '${') braces.push('template');
    code += ' ';
  };
  const next = (): RegExpExecArray | null => {
    token.lastIndex = position;
    return token.exec(text);
  };
  for (let match = next(); match !== null; match = next()) {
    code += text.slice(position, match.index);
    const found = match[0];
    position = match.index + found.length;
    if (found === '{') {
      braces.push('block');
      code += found;
    } else if (found === '}') {
      if (braces.pop() === 'template') skipTemplateText();
      else code += found;
    } else if (found === '`') {
      skipTemplateText();
    } else if (found.startsWith("'") || found.startsWith('"')) {
      code += `"${strings.length}"`;
      strings.push(found.slice(1, -1));
      passages.push({ kind: 'string', at: match.index, text: found });
    } else if (found.startsWith('//') || found.startsWith('/*')) {
      code += ' ';
      passages.push({ kind: 'comment', at: match.index, text: found });
    } else if (found === '${') {
      code += ' ';
    } else if (beforeRegularExpression.test(code)) {
      code += ' ';
    } else {
      code += '/';
      position = match.index + 1;
    }
  }
  return { code: code + text.slice(position), strings, passages };
}
