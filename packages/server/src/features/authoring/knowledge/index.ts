/**
 * features/authoring/knowledge: documents that agents read and search: the kind with its index, the six operations, and the
 * library that shows what is visible from a namespace. Keeps no index of its own: the store does. app wires it; tools of
 * agents use the library.
 */
export { chunkDocument } from './document-chunks.ts';
export { knowledgeModule } from './knowledge-module.ts';
export { indexWords } from './search-words.ts';
