/**
 * features/authoring/manifests/apply: one way to apply a document of any kind (`apply-document.ts`) with two requests in front of it:
 * ApplyResource replaces one resource, ApplyManifests merges many field by field for a manager. Both go through the kind contracts
 * and the one write pipeline; a dry run is the real transaction, undone. What managers own is kept next to the resources (resources/merge/field-ownership.ts). Called by the operations of
 * the folder above.
 */
export { applyManifests } from './apply-manifests.ts';
export { applyResource } from './apply-resource.ts';
