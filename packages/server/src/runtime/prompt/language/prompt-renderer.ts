import { assert } from '../../../base/index.ts';
import { hasExpressions } from '../../../resources/expressions/index.ts';
import { applyPromptFilter, type PromptPiece, parsePrompt } from './prompt-syntax.ts';
import { type TurnValues, variableValue } from './prompt-variables.ts';

export type { TurnValues } from './prompt-variables.ts';

/** Renders a prompt; text without expressions comes back as it is. Throws for a prompt that `promptCheck` refuses. */
export type PromptRenderer = (text: string, values: TurnValues) => string;

/** Parsed prompts that a process keeps, least recently used dropped. */
const KEPT_PROMPTS = 256;

/** A renderer that parses each prompt once. Values are inserted as they are and never rendered again. */
export const createPromptRenderer = (): PromptRenderer => {
  const kept = new Map<string, readonly PromptPiece[]>();
  const piecesOf = (text: string): readonly PromptPiece[] => {
    const known = kept.get(text);
    const pieces = known ?? validPieces(text);
    if (known !== undefined) kept.delete(text);
    kept.set(text, pieces);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_PROMPTS && oldest !== undefined) kept.delete(oldest);
    return pieces;
  };
  return (text, values) => {
    if (!hasExpressions(text)) return text;
    return piecesOf(text)
      .map((piece) => renderPiece(piece, values))
      .join('');
  };
};

const validPieces = (text: string): readonly PromptPiece[] => {
  const { pieces, problems } = parsePrompt(text);
  assert(problems.length === 0, `a stored prompt is valid: ${problems[0]?.message ?? ''}`);
  return pieces;
};

const renderPiece = (piece: PromptPiece, values: TurnValues): string => {
  if (piece.kind === 'text') return piece.text;
  return piece.filters.reduce(applyPromptFilter, variableValue(piece.path, values));
};
