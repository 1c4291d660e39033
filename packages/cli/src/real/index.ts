/**
 * real: this process, this terminal, this machine: what the program touches outside of itself. Only main.ts comes in here;
 * commands see a World, and tests bring their own.
 */
export { realWorld } from './real-world.ts';
