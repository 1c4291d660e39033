/**
 * features/authoring/vectors: what documents and queries mean, as vectors of the model that `knowledge.embeddings` names. Owns the
 * job that makes the vectors of what was written, behind the write, and asks for those of queries. What is searched, how lists are
 * joined and who may see what, is the matter of knowledge and files; the store keeps and compares. Off unless it is configured. app wires it.
 */
export { vectorsModule } from './vectors-module.ts';
