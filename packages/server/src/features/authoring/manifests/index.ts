/**
 * features/authoring/manifests: resources of every kind through one service: ResourceService reads, deletion and watches. Generic
 * over kinds: what a kind does when it goes is in its contract. Does not know features; namespaces and sessions are
 * handed in by app.
 */
export { manifestsModule } from './manifests-module.ts';
export { requireScope } from './resource-scope.ts';
export { valueReader } from './resource-shown.ts';
