/**
 * resources/manifest/forms: the last step from what manifests may write to the stored form of a spec. Knows positions only to
 * report them. Called by the readers of the folder above.
 */
export { settleSpec } from './kind-forms.ts';
