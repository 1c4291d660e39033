import { McpFailure } from '../../../../protocols/mcp/contract.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import type { Tool, ToolSource, ToolTurn } from '../../../../tools/contract.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type RemoteTool, toolOf } from './mcp-tools.ts';
import type { ServerLookup } from './server-lookup.ts';
import { queuePoll } from './task-polls.ts';
import { modelNames, serverPrefix } from './tool-name-rules.ts';

/** Time that a turn waits for the lists of all its servers, which are asked side by side. */
const LISTS_MS = 5_000;

/**
 * The same for a server whose list is not known and that has to run a call which the model asked for already: after a restart its process starts
 * again, and the call must not fail because that takes a while.
 */
const OPEN_CALL_MS = 20_000;

interface McpToolSourceDeps {
  readonly store: Pick<Store, 'write'>;
  readonly lookup: ServerLookup;
  readonly pool: ConnectionPool;
}

/**
 * The tools of the MCP servers that an agent refers to. What a reference means is read from the store at every step: a server that
 * was changed, disabled or removed is so for the next step on every worker.
 */
export const mcpToolSource = (deps: McpToolSourceDeps): ToolSource => ({
  name: 'mcp',
  concerns: ({ mcpServers }) => mcpServers.length > 0,
  tools: async (turn: ToolTurn): Promise<readonly Tool[]> => {
    const lists = await Promise.all(turn.grants.mcpServers.map((server) => listed(deps, turn, server)));
    const remotes = lists.flat();
    const names = modelNames(remotes);
    return remotes.map((remote, index) => toolOf(names[index] as string, remote));
  },
});

/** Tools of one server; none of one that fails, which the pool logs and records. */
const listed = async (
  { store, lookup, pool }: McpToolSourceDeps,
  { grants, sessionId, openCalls }: ToolTurn,
  server: string,
): Promise<readonly RemoteTool[]> => {
  const { namespace, agent } = grants;
  const wanted = await lookup.find(namespace, server, { agent, sessionId });
  if (typeof wanted !== 'object') return [];
  const slot = pool.slot(wanted);
  try {
    const isNeeded = openCalls.some((name) => name.startsWith(serverPrefix(server)));
    const tools = await slot.tools(LISTS_MS, isNeeded ? { neededMs: OPEN_CALL_MS } : {});
    return tools
      .filter(({ name }) => wanted.allowlist === undefined || wanted.allowlist.includes(name))
      .map((described) => ({
        server,
        tool: described.name,
        described,
        use: (signal, work) => slot.use(signal, work),
        queue: ({ turnId, callId }, check) =>
          store.write((tx) => queuePoll(tx, callId, { ...check, namespace, agent, sessionId, turnId, server })),
      }));
  } catch (error) {
    if (error instanceof McpFailure) return [];
    throw error;
  }
};
