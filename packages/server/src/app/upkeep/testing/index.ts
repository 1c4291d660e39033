/** app/upkeep/testing: data directories with a store in them, for tests of backup and restore. */
export { type Place, Places } from './places.ts';
