/**
 * resources/manifest/syntax: text to nodes with places. Documents that are plain JSON are read by a small reader of our own,
 * everything else as YAML 1.2; both give the same nodes for the same text. parse-manifests calls it, and
 * the thread that reads large texts, whose nodes travel as texts.
 */
export { nodeOfText, nodeText } from './packed-nodes.ts';
export { type ReadText, readingText, readText } from './yaml-nodes.ts';
