/**
 * resources: the pure model of resources: the table of kinds, names, namespace paths, labels and selectors, conditions,
 * stored JSON <-> messages, and which parts of them a caller may see. Owns no storage, no clock, no rule of a single kind.
 * Used by everything above: controllers write through it, features and watches read through it.
 */
export * from './canonical-json.ts';
export * from './conditions.ts';
export * from './faults.ts';
export * from './field-mask.ts';
export * from './identifiers/index.ts';
export { keepUnknown } from './kept-fields.ts';
export * from './kinds.ts';
export * from './labels.ts';
export { notExecuted } from './not-executed.ts';
export * from './page-fill.ts';
export * from './record.ts';
export * from './resource-codec.ts';
export * from './resource-views.ts';
export * from './selectors.ts';
export * from './sensitive/index.ts';
export { requireKept, type SentHolders, wantedHolders } from './sent-metadata.ts';
