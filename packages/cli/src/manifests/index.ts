/**
 * manifests: commands that read manifests: apply, diff, render, prune, delete -f. Owns files, variables and output. The server's own
 * parser (loaded on first use) checks manifests, and ApplyManifests decides everything else.
 */
export { type ApplyOptions, apply } from './apply.ts';
export { isFailed, printReport } from './apply-report.ts';
export { type DeleteFilesOptions, removeFiles } from './delete-files.ts';
export { diff } from './diff.ts';
export type { ManifestOptions } from './manifest-documents.ts';
export { type PruneOptions, prune } from './prune.ts';
export { type RenderOptions, render } from './render.ts';
export { paintDiff, unifiedDiff } from './text-diff.ts';
export { waitUntilReady } from './wait-until-ready.ts';
