/** access/testing: API keys and tokens on a real store, for the tests of this folder only. */
export { type AccessWorld, callerWith, openAccessWorld } from './access-world.ts';
