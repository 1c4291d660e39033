/**
 * store/postgres/presence: who lives. Each worker of a process holds a session lock on a connection of its own, which the
 * server frees when the process ends, however it ends; a sweep finds the workers whose lock is free. Knows nothing of turns:
 * what a worker held is looked up by `tables`, and that no one writes with an old claim is settled by fences.
 */
export { findDeadWorkers, forgetWorkers, type Judge } from './dead-workers.ts';
export { Presences } from './presences.ts';
