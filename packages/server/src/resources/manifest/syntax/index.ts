/**
 * resources/manifest/syntax: text to nodes with positions. Documents that are plain JSON are read by a small reader of our own,
 * everything else as YAML 1.2; both give the same nodes for the same text. Called by parse-manifests, and by
 * the thread that reads large texts, which sends the nodes as text.
 */
export { nodeOfText, nodeText } from './packed-nodes.ts';
export { type ReadText, readingText, readText } from './yaml-nodes.ts';
