/**
 * resources/expressions: the language `{{ root.path | filter }}` of templates (PL-1.3): syntax, rendering of JSON values and the
 * roots of each phase. Pure: values come from the caller. Prompts have their own reader in runtime/prompt, with the same
 * language. The templates feature checks with it; rendering of deployments uses the same functions.
 */
export {
  type ExpressionScope,
  mapTexts,
  type RenderedText,
  renderText,
  type TextPlace,
} from './expression-renderer.ts';
export {
  type ExpressionPath,
  type ExpressionPiece,
  hasExpressions,
  type ParsedText,
  parseText,
  type TextProblem,
} from './expression-syntax.ts';
export { DEPLOYMENT_ROOTS, isDeploymentPath, isPrompt, LATER_ROOTS } from './phase-roots.ts';
