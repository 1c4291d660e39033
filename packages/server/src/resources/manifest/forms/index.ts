/**
 * resources/manifest/forms: what manifests may write instead of the stored form of a spec: the table of such forms, and the
 * last step to the stored form. Knows positions only to report them. Called by the readers of the folder above.
 */
export { settleSpec } from './kind-forms.ts';
export { camelCase, type OtherForm, otherForms } from './other-forms.ts';
