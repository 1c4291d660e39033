import type { KnowledgeSpec } from '@svc/api/resources';
import { Fault } from '../../../base/index.ts';
import { type KindContract, kindContract, type SpecWrite } from '../../../controllers/contract.ts';
import { commonStatus } from '../../../resources/index.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { chunkDocument } from './document-chunks.ts';
import { checkKnowledge, fillKnowledge } from './knowledge-rules.ts';
import { indexWords } from './search-words.ts';

export interface KnowledgeKindDeps {
  /** `limits.knowledgeMax`; absent = its default. */
  readonly maxBytes?: number;
}

/** How documents are written, whichever operation writes them; indexing is part of the transaction. */
export const knowledgeContract = ({ maxBytes }: KnowledgeKindDeps = {}): KindContract =>
  kindContract<KnowledgeSpec>({
    kind: 'Knowledge',
    defaults: (spec, key) => fillKnowledge(spec, key.name),
    validate: ({ spec }) => checkKnowledge(spec, maxBytes),
    ownBounds: ({ content }) => [content],
    admit: requirePath,
    observe: async (tx, write) =>
      commonStatus(
        write.current,
        { phase: 'Ready', findings: [{ type: 'Indexed', status: 'True', reason: 'Indexed' }] },
        { now: tx.now(), generation: write.generation },
      ),
    applied: (tx, write) => index(tx, write.stored, write.spec),
    removing: (tx, resource) => tx.search.remove(resource.uid),
  });

/** One path belongs to one name in a namespace. Throws ALREADY_EXISTS PATH_TAKEN. */
const requirePath = async (tx: WriteTx, write: SpecWrite<KnowledgeSpec>): Promise<void> => {
  const { namespace, name } = write.key;
  const { path } = write.spec;
  const [holder] = await tx.search.directory({ kind: 'Knowledge', namespaces: [namespace], path, limit: 1 });
  if (holder === undefined || holder.name === name) return;
  throw new Fault('ALREADY_EXISTS', 'PATH_TAKEN', `the path belongs to ${holder.name}: ${path}`, {
    metadata: { ns: namespace, path, name: holder.name },
  });
};

const index = (tx: WriteTx, stored: StoredResource, spec: KnowledgeSpec): Promise<void> =>
  tx.search.index({
    source: stored.uid,
    kind: 'Knowledge',
    namespace: stored.key.namespace,
    name: stored.key.name,
    path: spec.path,
    pathWords: indexWords(spec.path),
    updatedAt: stored.updatedAt,
    chunks: chunkDocument(spec.content),
  });
