/**
 * keys: the one declarative table of every setting: how it is written, its range, its default, and the sentence
 * of the reference. docs/configuration.md is printed from it. Owns no value; the loader reads, app wires.
 */
export { environmentName, isReserved } from './environment-names.ts';
export type { KeyRow } from './key-row.ts';
export {
  keyRows,
  type SettingKey,
  type Settings,
  strictSections,
  type WrittenSettings,
} from './key-table.ts';
export { pendingKeys } from './pending-keys.ts';
