/**
 * kinds: the kinds of resources that commands can show and delete, each with its words, its columns and its calls.
 * Knows nothing of flags or output forms.
 */
export { allNames, collectPages, type Item, type Kind, type Scope } from './kind.ts';
export { kindAndName, kindAndNames } from './kind-words.ts';
export { isAuthorable, kindOf, kinds } from './known-kinds.ts';
export { propagationOf } from './propagation.ts';
export { ageOf, manifestOf, plainManifestOf, resourceJson } from './resource-json.ts';
export { addressOf, genericJson, type ResourceAddress, readGeneric } from './resource-kind.ts';
export { findSession } from './session-kind.ts';
