/**
 * features/coordination/workflows/values: what a run computes without a store: expressions, predicates, outputs and schemas. Pure but for the
 * schema library. Which values a run has is known to `record`; what they are used for, to `steps` and `runs`.
 */
export * from './output-text.ts';
export * from './predicate-value.ts';
export * from './rendering.ts';
export * from './value-schema.ts';
