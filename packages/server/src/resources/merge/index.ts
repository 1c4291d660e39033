/**
 * resources/merge: the one merge engine: three-way merge per JSON pointer, who owns which field, and pointers into
 * what managers write of a resource. Pure: the store's values are read and written through what the caller hands in. Manifests
 * and deployments merge with it.
 */
export {
  type FieldConflict,
  type MergeInput,
  type MergeResult,
  mergeFields,
  type OwnedFields,
  type Ownership,
  ownershipAfter,
} from './field-merge.ts';
export {
  dropOwnership,
  fieldDigest,
  managedForm,
  managedParts,
  ownershipText,
  readOwnership,
  saveOwnership,
} from './field-ownership.ts';
export { fieldPointer, leavesOf, pointerPart, pointerParts, readAt, setAt } from './json-pointers.ts';
export { withoutRemnants } from './merge-remnants.ts';
