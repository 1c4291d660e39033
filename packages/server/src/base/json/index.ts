/** base/json: JSON texts of bounded nesting, and what is read from values of which nothing is known yet. */
export * from './json-text.ts';
export * from './unknown-values.ts';
