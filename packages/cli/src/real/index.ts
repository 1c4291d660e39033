/**
 * real: the process, terminal and machine that the program runs on. Only main.ts imports it; commands use a World, and tests bring
 * their own.
 */
export { realWorld } from './real-world.ts';
