/**
 * listings: lists with their own columns: files, artifacts, documents. They call in JSON and load no messages; commands about one
 * file or document are in stored-files and knowledge.
 */
export { listArtifacts } from './artifacts.ts';
export { listKnowledge } from './documents.ts';
export { listFiles, listMemory, type MemoryListOptions } from './files.ts';
