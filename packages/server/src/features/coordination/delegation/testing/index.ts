export { DelegationWorld } from './delegation-world.ts';
