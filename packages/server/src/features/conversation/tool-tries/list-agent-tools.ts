import { create } from '@bufbuild/protobuf';
import {
  type AgentTool,
  AgentToolSchema,
  type ListAgentToolsRequest,
  type ListAgentToolsResponse,
  ListAgentToolsResponseSchema,
  type MissingTool,
  MissingToolSchema,
} from '@svc/api/gateway';
import type { CallContext } from '../../../auth/contract.ts';
import type { AgentRevision } from '../../../runtime/contract.ts';
import type { OfferedTool } from '../../../tools/contract.ts';
import { namedAgent } from './named-agent.ts';
import type { ToolTriesDeps } from './tool-tries-deps.ts';

/** The tools of an agent and what it lacks, by name. */
export const listAgentTools = async (
  deps: ToolTriesDeps,
  request: ListAgentToolsRequest,
  { caller, signal }: CallContext,
): Promise<ListAgentToolsResponse> => {
  const agent = await namedAgent(deps, request);
  const { identity } = caller;
  const [{ offered, withheld }, servers] = await Promise.all([
    deps.tries.tools({ agent, identity, signal }),
    missingServers(deps, agent, identity),
  ]);
  const tools = withheld.map((one) => create(MissingToolSchema, { ...one, kind: 'tool' }));
  const missing = [...tools, ...servers].sort((a, b) => (a.name < b.name ? -1 : 1));
  return create(ListAgentToolsResponseSchema, { tools: offered.map(toolMessage), missing });
};

/** MCP servers that the agent names and has no tools of. */
const missingServers = async (
  { missingServer }: ToolTriesDeps,
  { namespace, name: agent, spec }: AgentRevision,
  identity: string,
): Promise<readonly MissingTool[]> => {
  const found = await Promise.all(
    [...new Set(spec.mcpServerRefs)].map(async (name) => {
      const why = await missingServer(namespace, name, { agent, sessionId: '', identity });
      return why === undefined ? [] : [create(MissingToolSchema, { name, kind: 'mcp_server', ...why })];
    }),
  );
  return found.flat();
};

const toolMessage = ({ tool, approval }: OfferedTool): AgentTool => {
  const { name, description, inputSchema, effect, capability, needsTurn = false } = tool;
  return create(AgentToolSchema, {
    name,
    description,
    inputSchemaJson: JSON.stringify(inputSchema),
    effect,
    approval,
    capability: capability === undefined ? '' : `${capability.name}:${capability.action}`,
    needsTurn,
  });
};
