/**
 * editing: commands that change one resource in place: edit, patch, label, annotate. They read it, change its manifest and
 * replace it if no one was faster; the rules of manifests are the server's own parser. Fields stay unmanaged.
 */
export { edit } from './edit.ts';
export { changeAnnotations, changeLabels, type LabelOptions } from './label.ts';
export { type PatchOptions, patch } from './patch.ts';
export { tryNew, updateLive } from './replace-resource.ts';
