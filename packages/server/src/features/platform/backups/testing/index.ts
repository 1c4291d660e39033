/** features/platform/backups/testing: contents without an engine, for tests of archives. */
export { createObjects, tableDump } from './fake-contents.ts';
