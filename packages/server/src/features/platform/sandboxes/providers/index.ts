/**
 * sandboxes/providers: what this process knows of its providers of sandboxes: whether each works, and an end to what it does when the server stops.
 */
export { ProviderReports } from './provider-reports.ts';
export { StoppableProvider } from './stoppable-provider.ts';
