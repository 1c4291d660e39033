import { notFound } from '../../../base/index.ts';
import { requireNamespace } from '../../../controllers/facade-contract.ts';
import type { AgentRevision } from '../../../runtime/contract.ts';
import type { ToolTriesDeps } from './tool-tries-deps.ts';

/** The agent as a turn would find it now. Throws NOT_FOUND of the agent, or of the namespace when that is what is missing. */
export const namedAgent = async (
  { store, agents }: Pick<ToolTriesDeps, 'store' | 'agents'>,
  names: { readonly ns: string; readonly agent: string },
): Promise<AgentRevision> => {
  const reads = store.direct;
  const agent = await agents.directory.current(reads, names.ns, names.agent);
  if (agent !== undefined) return agent;
  await requireNamespace(reads, names.ns);
  throw notFound('Agent', { ns: names.ns, name: names.agent });
};
