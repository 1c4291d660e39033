import { isJsonMap, type JsonData } from '../canonical-json.ts';
import { applyFilter, type FilterName, plainText } from './expression-filters.ts';
import {
  type ExpressionPath,
  type ExpressionPiece,
  hasExpressions,
  parseText,
  type TextProblem,
} from './expression-syntax.ts';

/** The variables of one phase of rendering. */
export interface ExpressionScope {
  /** Roots whose values this phase knows. */
  readonly owns: ReadonlySet<string>;
  /** Roots of later phases: their expressions are left unchanged. */
  readonly passes: ReadonlySet<string>;
  /** True if a later phase reads the text too: raw blocks stay closed for it. */
  readonly keepsRaw: boolean;
  /** Value of a variable of an owned root; undefined = not defined. */
  readonly resolve: (path: ExpressionPath) => JsonData | undefined;
  /** How a value was written, such as `1.50`, which is used inside of texts. Undefined, or absent, if that is the same as its value. */
  readonly written?: (path: ExpressionPath) => string | undefined;
}

export interface RenderedText {
  /** Text, or the value itself if the text is a single expression. */
  readonly value: JsonData;
  readonly problems: readonly TextProblem[];
}

/** The position of a text in a JSON value. */
export interface TextPlace {
  /** JSON pointer (RFC 6901). */
  readonly pointer: string;
  /** Member names, list items as numbers. */
  readonly path: readonly (string | number)[];
}

type ValuePiece = Extract<ExpressionPiece, { kind: 'value' }>;
type Outcome = Found | { readonly passed: string } | { readonly problem: TextProblem };

/** A value, and its form inside of a text. */
interface Found {
  readonly value: JsonData;
  readonly written: string;
}

/**
 * Renders one text. Values are inserted unchanged and never rendered again.
 */
export const renderText = (text: string, scope: ExpressionScope): RenderedText => {
  if (!hasExpressions(text)) return { value: text, problems: [] };
  const parsed = parseText(text);
  const problems = [...parsed.problems];
  const outcomes = parsed.pieces.map((piece) => (piece.kind === 'value' ? renderValue(piece, scope) : piece));
  const parts = outcomes.map((outcome): Found => {
    if ('problem' in outcome) {
      problems.push(outcome.problem);
      return found('');
    }
    if ('passed' in outcome) return found(outcome.passed);
    if ('value' in outcome) return outcome;
    return found(outcome.kind === 'raw' && scope.keepsRaw ? outcome.source : outcome.text);
  });
  const [only, ...others] = parts;
  const isWhole = only !== undefined && others.length === 0;
  return { value: isWhole ? only.value : parts.map(({ written }) => written).join(''), problems };
};

const found = (value: JsonData): Found => ({ value, written: plainText(value) });

const lookedUp = (path: ExpressionPath, { resolve, written }: ExpressionScope): Found | undefined => {
  const value = resolve(path);
  return value === undefined ? undefined : { value, written: written?.(path) ?? plainText(value) };
};

const renderValue = (piece: ValuePiece, scope: ExpressionScope): Outcome => {
  const { offset } = piece;
  const paths = [
    piece.path,
    ...piece.steps.flatMap((step) => ('fallback' in step && 'path' in step.fallback ? [step.fallback.path] : [])),
  ];
  const unknown = paths.find(([root = '']) => !scope.owns.has(root) && !scope.passes.has(root));
  if (unknown !== undefined) return { problem: { offset, message: `there is no variable ${unknown.join('.')}` } };
  const owned = paths.filter(([root = '']) => scope.owns.has(root));
  if (owned.length === 0) return { passed: piece.source };
  if (owned.length < paths.length)
    return { problem: { offset, message: 'one expression may not mix variables of two phases' } };
  const result = piece.steps.reduce<Found | undefined>(
    (last, step) => {
      if (!('fallback' in step)) return last === undefined ? undefined : found(filtered(last, step.filter));
      if (last !== undefined && last.value !== '') return last;
      return 'path' in step.fallback ? lookedUp(step.fallback.path, scope) : found(step.fallback.value);
    },
    lookedUp(piece.path, scope),
  );
  return result ?? { problem: { offset, message: `${piece.path.join('.')} is not defined` } };
};

/** Text filters read the form that was written. */
const filtered = ({ value, written }: Found, filter: FilterName): JsonData =>
  applyFilter(filter === 'json' ? value : written, filter);

/** The value with every text in it rendered; keys are unchanged. */
export const mapTexts = (
  value: JsonData,
  change: (text: string, place: TextPlace) => JsonData,
  place: TextPlace = { pointer: '', path: [] },
): JsonData => {
  if (typeof value === 'string') return change(value, place);
  if (Array.isArray(value)) return value.map((item: JsonData, index) => mapTexts(item, change, inside(place, index)));
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, inside(place, key))]),
  );
};

const inside = (place: TextPlace, member: string | number): TextPlace => ({
  pointer: `${place.pointer}/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`,
  path: [...place.path, member],
});
