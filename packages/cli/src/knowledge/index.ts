/**
 * knowledge: `svc knowledge`: documents of a namespace by path, what an agent would find in them, and the sync of a directory
 * of Markdown. Never touches documents that a sync did not write, unless they are named.
 */
export {
  deleteKnowledge,
  getKnowledge,
  type KnowledgeOptions,
  searchKnowledge,
  setKnowledge,
} from './documents.ts';
export { type SyncOptions, syncKnowledge } from './sync.ts';
