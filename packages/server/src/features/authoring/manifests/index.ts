/**
 * features/authoring/manifests: resources of every kind through one service: ResourceService reads, deletion and watches. Generic
 * over kinds: what a kind does when it goes is in its contract. Does not know features; namespaces and sessions are
 * handed in by app.
 */
export { resourceOperations } from './resource-operations.ts';
export { requireScope } from './resource-scope.ts';
export { secretTarget } from './resource-shown.ts';
export { sessionContract } from './session-kind.ts';
