/**
 * sandbox/local: sandboxes as jails of processes by bubblewrap: finding out which jail works, its arguments, its processes and their
 * limits, and the folders that stay between commands. Never runs anything without a jail.
 */
export { LocalProvider } from './local-provider.ts';
