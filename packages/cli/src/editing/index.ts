/**
 * editing: commands that change one resource: edit, patch, label, annotate. They read it, change its manifest and replace it unless
 * someone else changed it meanwhile; the server's own parser checks manifests. They do not become managers of fields.
 */
export { edit } from './edit.ts';
export { changeAnnotations, changeLabels, type LabelOptions } from './label.ts';
export { type PatchOptions, patch } from './patch.ts';
export { tryNew, updateLive } from './replace-resource.ts';
