/**
 * features/authoring/manifests/apply: the two ways to write resources of any kind: ApplyResource replaces one, ApplyManifests merges many
 * field by field for a manager. Both go through the kind contracts and the one write pipeline; a dry run is the real transaction,
 * undone. What managers own is kept next to the resources (resources/merge/field-ownership.ts). Called by the operations of
 * the folder above.
 */
export { applyManifests } from './apply-manifests.ts';
export { applyResource } from './apply-resource.ts';
