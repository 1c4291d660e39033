import { toJson } from '@bufbuild/protobuf';
import { ListValueSchema } from '@bufbuild/protobuf/wkt';
import type { ToolGrants, ToolTurn } from '../../tools/contract.ts';
import type { AgentRevision } from '../contract.ts';
import type { StepTurn } from './contract.ts';

const cache = new WeakMap<AgentRevision['spec'], ToolGrants>();

/** What an agent revision may use, as plain data; kept while the frozen spec lives. */
export const grantsOf = (agent: AgentRevision): ToolGrants => {
  const known = cache.get(agent.spec);
  if (known !== undefined) return known;
  const capabilities: Record<string, readonly unknown[]> = {};
  for (const [name, list] of Object.entries(agent.spec.capabilities)) {
    const plain = toJson(ListValueSchema, list);
    capabilities[name] = Array.isArray(plain) ? plain : [];
  }
  const { features, mcpServerRefs: mcpServers, a2a } = agent.spec;
  const connections = a2a?.connections ?? [];
  const grants = { namespace: agent.namespace, agent: agent.name, capabilities, features, mcpServers, connections };
  cache.set(agent.spec, grants);
  return grants;
};

/** The turn as the registry lists tools for it. */
export const toolTurn = (
  { agent, row, body, session, signal }: StepTurn,
  openCalls: readonly string[] = [],
): ToolTurn => {
  const { identity, lineage } = body.cause;
  return {
    grants: grantsOf(agent),
    sessionId: row.sessionId,
    sessionLabels: session.labels,
    turnId: row.id,
    identity,
    lineage,
    openCalls,
    signal,
  };
};
