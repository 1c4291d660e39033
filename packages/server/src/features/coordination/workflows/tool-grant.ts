import {
  isJsonMap,
  type JsonMap,
  namespaceKey,
  parseJsonMap,
  recordKey,
  SYSTEM_NAMESPACE,
} from '../../../resources/index.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';
import { possibleNames, type RemoteName } from '../../../tools/contract.ts';

type Reads = Pick<ReadTx, 'resources'>;

export interface ToolGrantDeps {
  readonly ancestorsOf: (namespace: string) => readonly string[];
}

const CAPABILITIES_OPTION = 'option.svc/workflow-capabilities';
const FREE: ReadonlySet<string> = new Set([
  'current_time',
  'calculate',
  'knowledge_search',
  'knowledge_get',
  'knowledge_list',
  'knowledge_write',
]);
/** Native tools behind a capability; those bound to a session are never available. */
const GATED: Readonly<Record<string, string>> = {
  open_result: 'search:open_result',
  search_memory: 'memory:inspect',
  list_memory: 'memory:inspect',
  read_memory: 'memory:read',
  create_memory: 'memory:create',
  update_memory: 'memory:update',
  list_files: 'files:inspect',
  get_file_metadata: 'files:inspect',
  read_file: 'files:read',
  create_file: 'files:create',
  update_file: 'files:update',
  delete_file: 'files:delete',
  fetch_url: 'research:fetch_url',
  web_search: 'research:web_search',
  list_schedules: 'schedules:inspect',
  get_schedule: 'schedules:inspect',
  create_schedule: 'schedules:create',
  update_schedule: 'schedules:update',
  delete_schedule: 'schedules:delete',
  list_sessions: 'sessions:inspect',
  read_session_messages: 'sessions:read:messages',
  send_session_message: 'sessions:send_message',
  list_workflows: 'workflows:inspect',
  run_workflow: 'workflows:run',
  get_workflow_run: 'workflows:inspect',
  run_code: 'code:run',
  sandbox_exec: 'sandbox:exec',
  sandbox_read_file: 'sandbox:read',
  sandbox_list: 'sandbox:read',
  sandbox_write_file: 'sandbox:write',
};

/** What `search` looks through is gated by kind: it may be called when one of them is open. */
const SEARCH = ['search:workspace', 'search:sessions', 'search:knowledge'];

const actionsOf = (tool: string): readonly string[] => {
  if (tool === 'search') return SEARCH;
  const action = Object.hasOwn(GATED, tool) ? GATED[tool] : undefined;
  return action === undefined ? [] : [action];
};

/** Whether a step may call a tool: native by name, remote as `<server ref>/<tool>` or `mcp_<server>_<tool>`. */
export const toolGrant =
  (deps: ToolGrantDeps) =>
  async (reads: Reads, namespace: string, tool: string): Promise<boolean> => {
    if (FREE.has(tool)) return true;
    const actions = actionsOf(tool);
    if (actions.length > 0) {
      const granted = await grantedActions(deps, reads, namespace);
      return actions.some((action) => granted.has(action));
    }
    for (const remote of remoteReadings(tool)) if (await isOffered(deps, reads, { namespace, ...remote })) return true;
    return false;
  };

/** What a step is given to call its tool. */
export interface StepTool {
  /** Those that it may be offered under. */
  readonly names: readonly string[];
  readonly capabilities: Readonly<Record<string, readonly string[]>>;
  readonly mcpServers: readonly string[];
}

/** What a step in a namespace is given to call a tool that it may call. */
export type StepToolGrant = (reads: Reads, namespace: string, tool: string) => Promise<StepTool>;

/** Finds the server of a remote tool, and for a native one the capabilities of the nearest namespace that lists some. */
export const stepToolGrant =
  (deps: ToolGrantDeps): StepToolGrant =>
  async (reads, namespace, tool) => {
    if (FREE.has(tool)) return { names: [tool], capabilities: {}, mcpServers: [] };
    if (actionsOf(tool).length > 0)
      return {
        names: [tool],
        capabilities: byCapability(await grantedActions(deps, reads, namespace)),
        mcpServers: [],
      };
    for (const remote of remoteReadings(tool))
      if (await isOffered(deps, reads, { namespace, ...remote }))
        return { names: possibleNames(remote), capabilities: {}, mcpServers: [remote.server] };
    return { names: [tool], capabilities: {}, mcpServers: [] };
  };

const byCapability = (actions: ReadonlySet<string>): StepTool['capabilities'] => {
  const found = new Map<string, string[]>();
  for (const text of actions) {
    const colon = text.indexOf(':');
    const capability = text.slice(0, Math.max(0, colon));
    found.set(capability, [...(found.get(capability) ?? []), text.slice(colon + 1)]);
  }
  return Object.fromEntries(found);
};

/** Actions of the nearest namespace that says something about them. */
const grantedActions = async (deps: ToolGrantDeps, reads: Reads, namespace: string): Promise<ReadonlySet<string>> => {
  for (const name of [namespace, ...deps.ancestorsOf(namespace)]) {
    const text = (await reads.resources.get(namespaceKey(name)))?.annotations[CAPABILITIES_OPTION];
    if (text !== undefined) return new Set(text.split(',').map((action) => action.trim()));
  }
  return new Set();
};

/** Longest names that can be of a tool: of a server and its tool, and as agents are offered tools. */
const REFERENCE_CHARS = 1_000;
const OFFERED_CHARS = 64;

/** Names of servers may hold underscores too: every cut is tried. */
const remoteReadings = (name: string): readonly RemoteName[] => {
  if (name.length > REFERENCE_CHARS) return [];
  const slash = name.indexOf('/');
  if (slash > 0) return [{ server: name.slice(0, slash), tool: name.slice(slash + 1) }];
  if (!name.startsWith('mcp_') || name.length > OFFERED_CHARS) return [];
  const words = name.slice('mcp_'.length).split('_');
  return words
    .slice(1)
    .map((_, index) => ({ server: words.slice(0, index + 1).join('_'), tool: words.slice(index + 1).join('_') }));
};

/** A binding in the own namespace, else the nearest server; every allowlist on the way must have the tool. */
const isOffered = async (
  deps: ToolGrantDeps,
  reads: Reads,
  wanted: RemoteName & { readonly namespace: string },
): Promise<boolean> => {
  if (wanted.tool === '') return false;
  const binding = await reads.resources.get(recordKey('McpServerBinding', wanted.namespace, wanted.server));
  const reference = binding === undefined ? undefined : specOf(binding)['serverRef'];
  const name = typeof reference === 'string' && reference !== '' ? reference : wanted.server;
  for (const namespace of [wanted.namespace, ...deps.ancestorsOf(wanted.namespace), SYSTEM_NAMESPACE]) {
    const server = await reads.resources.get(recordKey('McpServer', namespace, name));
    if (server === undefined) continue;
    return [server, ...(binding === undefined ? [] : [binding])].every((record) => allows(specOf(record), wanted.tool));
  }
  return false;
};

const specOf = (record: StoredResource): JsonMap => parseJsonMap(record.spec) ?? {};

const allows = (spec: JsonMap, tool: string): boolean => {
  const policy = isJsonMap(spec['policy']) ? spec['policy']['tools'] : undefined;
  const list = isJsonMap(policy) ? policy['allowlist'] : undefined;
  return spec['disabled'] !== true && (!Array.isArray(list) || list.length === 0 || list.includes(tool));
};
