/** The rules of app/wiring: a list of parts and what each is made of. What decides or computes something has a home elsewhere. */
import { maskCode } from '../mask-code.ts';
import { isTestCode, type SourceFile } from '../source-files.ts';

const wiring = 'packages/server/src/app/wiring/';

/** Most lines of all its files together. */
export const wiringLines = 600;

/** Statements and operators by which code decides, repeats, catches or counts, and work with a store. */
const logic: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  {
    pattern: /\b(?:if|else|switch|for|while|do|try|catch|throw)\b(?=\s*[({])|\b(?:throw|else)\b/g,
    name: 'a statement that decides, repeats or catches',
  },
  { pattern: /\s\?\s/g, name: 'a choice between two values' },
  { pattern: /\?\?|\|\||&&/g, name: 'a value that depends on another one' },
  { pattern: /\b(?:let|var)\b|\b(?:class|function)\b/g, name: 'a variable, a class or a function of its own' },
  {
    pattern: /\b(?:tx|store|direct)\s*\.\s*(?:write|read|log|resources|audit|queue|instance|counters)\s*[.(]/g,
    name: 'work with the store',
  },
  { pattern: /\s[*/%]\s/g, name: 'arithmetic' },
];

/** Lines of app/wiring that hold logic, and its size when it is too large; one readable line each. */
export function findWiringViolations(files: readonly SourceFile[]): readonly string[] {
  const own = files.filter(({ path }) => path.startsWith(wiring) && !isTestCode(path));
  const lines = own.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0);
  const tooLarge =
    lines > wiringLines
      ? [`${wiring} has ${lines} lines, allowed are ${wiringLines}: it is a list, logic goes home`]
      : [];
  return [...own.flatMap(judgeFile), ...tooLarge];
}

function judgeFile({ path, text }: SourceFile): string[] {
  const code = maskCode(text).code.split('\n');
  return code.flatMap((line, index) =>
    logic
      .filter(({ pattern }) => line.search(pattern) >= 0)
      .map(({ name }) => `${path}:${index + 1} holds ${name}: the list only names parts`),
  );
}
