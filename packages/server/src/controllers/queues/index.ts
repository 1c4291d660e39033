/**
 * queues: what waits to be done. `KeyQueue` holds keys of one process, each once, with retries; `QueueRunner` runs the due
 * items of the durable queue. Neither knows what the work is.
 */
export * from './key-queue.ts';
export * from './queue-runner.ts';
