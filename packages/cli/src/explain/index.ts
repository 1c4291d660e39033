/**
 * explain: `svc explain KIND[.FIELD]`, what a kind and its fields mean, from the comments of the API. Works without a server. Called
 * by the program.
 */
export { type ExplainOptions, explainKind } from './explain.ts';
