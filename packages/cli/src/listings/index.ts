/**
 * listings: lists that have columns of their own: files, artifacts, documents. They call in JSON and load no message; what is done
 * with one file or document is in stored-files and knowledge.
 */
export { listArtifacts } from './artifacts.ts';
export { listKnowledge } from './documents.ts';
export { listFiles } from './files.ts';
