/**
 * reading: large texts of manifests read by a thread of their own, because the YAML library needs about a second for a megabyte.
 * Knows threads and limits; what a manifest is belongs to resources/manifest. ApplyManifests calls it.
 */
export { LARGE_TEXT_CHARACTERS, ManifestTexts } from './manifest-texts.ts';
