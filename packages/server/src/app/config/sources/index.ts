/**
 * sources: finds and reads configuration files: which one counts, `extends`, positions of every value, and
 * `${NAME}` in texts. Knows no key; the loader matches what comes out with the key table.
 */
export { type ConfigFile, readConfigFile } from './config-file.ts';
export { expand } from './expansion.ts';
