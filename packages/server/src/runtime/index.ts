/**
 * runtime: durable execution of turns. It owns admission (the only way in for work), the worker that claims and
 * runs turns, their journal, steps, tools and permission questions, session lifecycle, streams and the sweeper. It does not own
 * HTTP, resources or engines: agents, namespaces, usage and objects are interfaces that app satisfies. Features see its
 * contract files only (sessions admit with them); app makes, starts and stops it.
 */

export * from './contract.ts';
export { createRuntime, type Runtime, type RuntimeDeps } from './create-runtime.ts';
export { DeltaPressure, HarnessSlot } from './steps/index.ts';
