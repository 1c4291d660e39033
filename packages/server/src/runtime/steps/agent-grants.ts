import { toJson } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import type { ToolGrants } from '../../tools/contract.ts';
import type { AgentRevision } from '../contract.ts';

const cache = new WeakMap<AgentRevision['spec'], ToolGrants>();

/** Capabilities and features of an agent revision as plain data; kept while the frozen spec lives. */
export const grantsOf = (agent: AgentRevision): ToolGrants => {
  const known = cache.get(agent.spec);
  if (known !== undefined) return known;
  const capabilities: Record<string, readonly unknown[]> = {};
  for (const [name, list] of Object.entries(agent.spec.capabilities)) {
    const plain = toJson(ListValueSchema, list);
    capabilities[name] = Array.isArray(plain) ? plain : [];
  }
  const grants = { namespace: agent.namespace, agent: agent.name, capabilities, features: agent.spec.features };
  cache.set(agent.spec, grants);
  return grants;
};
