/**
 * sandboxes/providers: what this process knows of its providers of sandboxes: which there are, whether each works, and an end to what it does when the server stops.
 */
export { type ProviderChoice, ProviderPool } from './provider-pool.ts';
export { ProviderReports } from './provider-reports.ts';
