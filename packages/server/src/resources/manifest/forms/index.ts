/**
 * resources/manifest/forms: what manifests may write instead of the stored form of a spec: the table of it, and the
 * last step to the stored form. Knows no places but those it has to report. Called by the readers of the folder above.
 */
export { settleSpec } from './kind-forms.ts';
export { camelCase, type OtherForm, otherForms } from './other-forms.ts';
