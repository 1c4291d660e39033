/**
 * app/upkeep: operations on a store that no server is using: backup, restore, migrations. Opens engines by the
 * configuration, but starts nothing. Called by main.ts for the command line; wiring shares how stores and objects are opened.
 */
export { holdDataDirectory } from './data-directory.ts';
export { type ObjectEngine, openObjects } from './open-objects.ts';
export { requireWholeDatabase, requireWholeDirectory } from './staged-directory.ts';
export { storeEngine } from './store-engine.ts';
export { createUpkeep, type Upkeep } from './upkeep.ts';
