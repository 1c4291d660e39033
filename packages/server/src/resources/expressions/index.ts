/**
 * resources/expressions: the language `{{ root.path | filter }}` of templates: syntax, rendering of JSON values and the
 * roots of each phase. Pure: values come from the caller. Prompts have their own reader in runtime/prompt, with the same
 * filters. The templates feature validates with it; rendering of deployments uses the same functions.
 */
export { applyFilter, isFilter, plainText } from './expression-filters.ts';
export { type ExpressionScope, mapTexts, renderText, type TextPlace } from './expression-renderer.ts';
export { type ExpressionPath, hasExpressions } from './expression-syntax.ts';
export { DEPLOYMENT_ROOTS, isDeploymentPath, isPrompt, LATER_ROOTS } from './phase-roots.ts';
