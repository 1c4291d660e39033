/**
 * operations: what an operation of the API is, for those who offer them and for those who serve them: its handler, what a caller
 * needs for it, the form of its REST body, and the plain routes next to the operations. Features declare theirs, app collects them,
 * transport serves them. Knows no protocol and no operation by name.
 */
export * from './access.ts';
export * from './bodies/index.ts';
export * from './decode-report.ts';
export * from './handler.ts';
export * from './message-schemas.ts';
export * from './operation.ts';
export * from './other-names.ts';
export type * from './plain-route.ts';
