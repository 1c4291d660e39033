/**
 * kinds: the kinds of resources that commands can show and delete, each with its words, its columns and its calls.
 * Knows nothing of flags, output forms or messages: it calls in JSON, so that no descriptor is loaded to show a list.
 */
export { allNames, collectPages, type Item, type Kind, listItems, type Propagation, type Scope } from './kind.ts';
export { kindAndItsNames, kindAndName, kindAndNames } from './kind-words.ts';
export { isAuthorable, kindOf, kinds } from './known-kinds.ts';
export { nestedJson } from './nested-json.ts';
export { propagationOf } from './propagation.ts';
export { ageOf, manifestForm, manifestOf, plainManifestOf } from './resource-json.ts';
export { addressOf, type ResourceAddress } from './resource-kind.ts';
export { findSession } from './session-kind.ts';
