/**
 * app: the only place that sees everything: it opens engines, builds every part, lists what each offers, and starts and stops
 * them in order. Holds no logic of its own. Called by main with the configuration and the environment of the process.
 */
export { createFaultPoint } from './fault-point.ts';
export { governMemory } from './memory-governor.ts';
export { processMemory } from './process-memory.ts';
export { type Activity, type RunningServer, startApp } from './server.ts';
