/**
 * features/manifests: resources of every kind through one door: ResourceService reads, deletion and watches. Generic over kinds:
 * what a kind does when it goes stands in its contract. Does not know features; namespaces and sessions are handed in by app.
 */
export type { ActivityReader, ManifestsDeps, NamespaceDoor } from './manifests-deps.ts';
export { resourceOperations } from './resource-operations.ts';
export { requireNamespace } from './resource-scope.ts';
export { type SessionKindDeps, sessionContract } from './session-kind.ts';
