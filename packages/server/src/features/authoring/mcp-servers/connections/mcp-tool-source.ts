import { McpFailure } from '../../../../protocols/mcp/contract.ts';
import type { Store } from '../../../../store/contracts/index.ts';
import {
  modelNames,
  serverPrefix,
  signInName,
  type Tool,
  type ToolSource,
  type ToolTurn,
} from '../../../../tools/contract.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { type RemoteTool, toolOf } from './mcp-tools.ts';
import type { ServerLookup } from './server-lookup.ts';
import {
  ANY_TOKEN,
  type SignInNeed,
  type SignInToolsDeps,
  signInPort,
  signInTool,
  toolsBeforeSignIn,
} from './sign-in-tools.ts';
import { queuePoll } from './task-polls.ts';
import type { ServerUse, WantedServer } from './wanted-server.ts';

/** Time that a turn waits for the lists of all its servers, which are asked side by side. */
const LISTS_MS = 5_000;

/**
 * The same for a server whose list is not known and that has to run a call which the model asked for already: after a restart its process starts
 * again, and the call must not fail because that takes a while.
 */
const OPEN_CALL_MS = 20_000;

export interface McpToolSourceDeps extends SignInToolsDeps {
  readonly store: Pick<Store, 'write'>;
  readonly lookup: ServerLookup;
  readonly pool: ConnectionPool;
}

/** What a server has for models: its own tools, and svc's in front of a sign-in. */
interface Listed {
  readonly remotes: readonly RemoteTool[];
  readonly own: readonly Tool[];
}

const NOTHING: Listed = { remotes: [], own: [] };

/**
 * The tools of the MCP servers that an agent refers to. What a reference means is read from the store at every step: a server that
 * was changed, disabled or removed is so for the next step on every worker.
 */
export const mcpToolSource = (deps: McpToolSourceDeps): ToolSource => ({
  name: 'mcp',
  concerns: ({ mcpServers }) => mcpServers.length > 0,
  tools: async (turn: ToolTurn): Promise<readonly Tool[]> => {
    const lists = await Promise.all(turn.grants.mcpServers.map((server) => listed(deps, turn, server)));
    const remotes = lists.flatMap((one) => one.remotes);
    const names = modelNames(remotes);
    const tools = remotes.map((remote, index) => toolOf(names[index] as string, remote));
    return [...tools, ...lists.flatMap(({ own }) => own)];
  },
});

/** Tools of one server; none of one that fails, which the pool logs and records. */
const listed = async (deps: McpToolSourceDeps, turn: ToolTurn, server: string): Promise<Listed> => {
  const { grants, sessionId, identity, openCalls } = turn;
  const { namespace, agent } = grants;
  const use: ServerUse = { agent, sessionId, identity };
  const wanted = await deps.lookup.find(namespace, server, use);
  if (typeof wanted !== 'object') return NOTHING;
  const personal = personalOf(deps, { namespace, server, use }, wanted);
  if (personal !== undefined && wanted.signIn?.grant === undefined)
    return { remotes: [], own: toolsBeforeSignIn(personal, openCalls) };
  try {
    const remotes = await remoteTools(deps, { server, openCalls, use }, wanted);
    // A call that asked for the sign-in is still to say that it happened.
    const isAsking = personal !== undefined && openCalls.includes(signInName(server));
    if (personal === undefined) return { remotes, own: [] };
    return {
      remotes: remotes.map((remote) => ({ ...remote, signIn: personal.port })),
      own: isAsking ? [signInTool(personal)] : [],
    };
  } catch (error) {
    const need = await personal?.port.needOf(error);
    if (personal !== undefined && need !== undefined)
      return { remotes: [], own: toolsBeforeSignIn(personal.lacking(need), openCalls) };
    if (error instanceof McpFailure) return NOTHING;
    throw error;
  }
};

const remoteTools = async (
  { store, pool }: Pick<McpToolSourceDeps, 'store' | 'pool'>,
  {
    server,
    openCalls,
    use,
  }: { readonly server: string; readonly openCalls: readonly string[]; readonly use: ServerUse },
  wanted: WantedServer,
): Promise<readonly RemoteTool[]> => {
  const slot = pool.slot(wanted);
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
        store.write((tx) => queuePoll(tx, callId, { ...check, ...use, namespace: wanted.namespace, turnId, server })),
    }));
};

/** How the person of the turn signs in; undefined for a server that needs no sign-in. */
const personalOf = (
  deps: McpToolSourceDeps,
  { namespace, server, use }: { readonly namespace: string; readonly server: string; readonly use: ServerUse },
  { signIn }: WantedServer,
) => {
  if (signIn === undefined) return undefined;
  /** Whether there is a sign-in by now, other than the one of the epoch. */
  const isSignedInSince = async (refused: number | undefined): Promise<boolean> => {
    const now = await deps.lookup.find(namespace, server, use);
    const epoch = typeof now === 'object' ? now.signIn?.grant?.epoch : undefined;
    return epoch !== undefined && epoch !== refused;
  };
  const port = signInPort(deps, server, signIn);
  return {
    server,
    port,
    need: ANY_TOKEN,
    isSignedIn: () => isSignedInSince(undefined),
    /** The same after the list was refused: a grant that has too few scopes is still there. */
    lacking: (need: SignInNeed) => ({ server, port, need, isSignedIn: () => isSignedInSince(signIn.grant?.epoch) }),
  };
};
