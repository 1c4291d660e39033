import type { PromptCheck } from '../../contract.ts';
import { parsePrompt } from './prompt-syntax.ts';

/** Most violations reported for one prompt. */
const MAX_VIOLATIONS = 20;

/** Syntax and variables of a prompt at write time; line and column count from 1, columns in UTF-16 units. */
export const promptCheck: PromptCheck = (text) =>
  parsePrompt(text)
    .problems.slice(0, MAX_VIOLATIONS)
    .map(({ offset, message }) => ({ ...positionOf(text, offset), message }));

const positionOf = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - lineStart + 1 };
};
