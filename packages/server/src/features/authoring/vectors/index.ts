/**
 * features/authoring/vectors: what documents and queries mean, as vectors of the model that `knowledge.embeddings` names. Owns the
 * job that makes the vectors of documents after they were written, and asks for those of queries. Knowledge and files decide what is
 * searched, how lists are joined and who may see what; the store keeps and compares vectors. Off unless it is configured. app wires it.
 */
export { vectorsModule } from './vectors-module.ts';
