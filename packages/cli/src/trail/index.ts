/**
 * trail: `svc trail`, what became of a message: everything that it caused and was caused by. Knows the operation GetMessageTrail alone.
 */
export { showTrail } from './trail.ts';
