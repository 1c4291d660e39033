/**
 * keys: the table of every setting: how it is written, its range, its default, and its sentence in
 * the reference. docs/configuration.md is generated from it. Owns no value; the loader reads, app wires.
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
