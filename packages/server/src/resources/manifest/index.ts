/**
 * resources/manifest: manifests as text and as messages: syntax, strict fields with positions, short forms of each
 * kind, order of application. Pure: no store, no files, no variables (those are the command line's). The manifests feature
 * applies what it reads; the command line checks with it before it calls.
 */

export { type JsonData, type JsonMap, mergePatch } from '../canonical-json.ts';
export { applyRank } from './apply-order.ts';
export { canonicalDocument } from './canonical-document.ts';
export { fillFromFiles, type OutsideTexts } from './fill-from-files.ts';
export {
  type ManifestDocument,
  type ManifestResource,
  type ReadOptions,
  readDocument,
  UID_FORM,
} from './manifest-document.ts';
export type { FindingReport, ManifestFinding } from './manifest-finding.ts';
export { type ManifestNode, nodeJson } from './manifest-node.ts';
export { type ScalarForm, type ShapeProblem, scalarForm, shapeProblems } from './message-shape.ts';
export { adviceFor } from './nearest-name.ts';
export { judgingManifests, type ParsedManifests, parseManifests, parsingManifests } from './parse-manifests.ts';
export { renderVariables, type VariableData, type Variables, WrittenValue } from './render-variables.ts';
export { fieldAt, mapSpecTexts } from './spec-texts.ts';
export { withoutDefaults } from './without-defaults.ts';
