/**
 * real: the process, terminal and machine that the program runs on. Only main.ts imports it; commands use a Host, and tests bring
 * their own.
 */
export { realHost } from './real-host.ts';
