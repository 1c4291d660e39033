/**
 * resources/manifest/syntax: text to nodes with places. Documents that are plain JSON are read by a small reader of our own,
 * everything else as YAML 1.2; both give the same nodes for the same text. Only parse-manifests calls it.
 */
export { readingText } from './yaml-nodes.ts';
