/**
 * identifiers: the grammar of names, paths of namespaces, names of files and sessions, and the check that a
 * name in a body agrees with the path of its request. Knows no kind.
 */
export * from './file-name.ts';
export * from './http-url.ts';
export * from './names.ts';
export * from './namespace-paths.ts';
export * from './path-names.ts';
export * from './session-name.ts';
