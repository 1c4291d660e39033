/** manifest: resources as YAML texts and back, with the places of fields in the text and what can be written there. */
export { isMap, isSameJson } from './json.ts';
export { keptMetadata } from './kept-metadata.ts';
export { manifestOf } from './manifest-of.ts';
export { manifestForm, writtenPart } from './resource-json.ts';
export { readWritten, type WrittenText } from './written-text.ts';
