/**
 * features/authoring/files/tools: what models may do with files and artifacts. Owns the arguments, what of the files a turn may see and
 * how results look; reads and writes are those of the API. Called by features/authoring/files only.
 */
export { artifactTools, artifactToolset } from './artifact-tools.ts';
export { fileTools } from './file-tools.ts';
export { memoryTools, type SearchPlaces, type Understand } from './memory-tools.ts';
export {
  type ArtifactObjects,
  artifactObjects,
  type HandOverArtifacts,
  handOverArtifacts,
  type KeepArtifact,
  keepArtifact,
  type ShareArtifacts,
  shareArtifacts,
} from './share-artifacts.ts';
export { ToolFiles, type ToolFilesDeps } from './tool-files.ts';
export { retrievedFile, workspaceSearch } from './workspace-search.ts';
