/**
 * kinds: how a configuration value is written, checked and shown: numbers, durations, sizes, paths, secrets, lists and
 * maps. Owns no key and reads no source; the key tables combine these, the loader calls them.
 */
export type { Kind } from './kind.ts';
export { boolean, choice, decimal, duration, integer, path, size, storeUrl, text, url } from './scalar-kinds.ts';
export { keySecret, secret, strongSecret } from './secret-kind.ts';
export { json, list, mapOf, record } from './structured-kinds.ts';
