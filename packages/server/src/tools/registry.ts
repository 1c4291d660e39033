import { Fault, type Log } from '../base/index.ts';
import { approvalOf, type CapabilitySwitches, narrowerGrants, reachOf, strictest } from './capability-rules.ts';
import type {
  ApprovalMode,
  OfferedTool,
  Tool,
  ToolCapability,
  ToolGrants,
  ToolRegistry,
  ToolSource,
  ToolSupply,
  ToolTurn,
  WithheldTool,
} from './contract.ts';
import { createSchemaCheck } from './schema-check.ts';
import { isFeatureMissing, withheldReason } from './withheld-rules.ts';

interface ToolRegistryDeps extends ToolSupply {
  /** `capabilities.*` of the configuration. */
  readonly switches?: CapabilitySwitches;
  readonly log: Pick<Log, 'warn'>;
  /** For tests: a check that registries share. */
  readonly check?: ToolRegistry['check'];
}

/** Names of tools as models and configuration see them. */
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** What one agent revision is offered without asking any source, and the sources to ask. */
interface AgentTools {
  readonly native: readonly OfferedTool[];
  readonly sources: readonly ToolSource[];
}

class Registry implements ToolRegistry {
  readonly #switches: CapabilitySwitches;
  readonly #log: Pick<Log, 'warn'>;
  readonly #names = new Set<string>();
  readonly #toolsets = new Set<string>();
  #tools: readonly Tool[] = [];
  #sources: readonly ToolSource[] = [];
  /** All turns of one agent revision share what is found here. */
  #agents = new WeakMap<ToolGrants, AgentTools>();
  readonly check: ToolRegistry['check'];

  constructor({ switches = {}, log, check = createSchemaCheck(), ...supply }: ToolRegistryDeps) {
    this.#switches = switches;
    this.#log = log;
    this.check = check;
    this.add(supply);
  }

  add({ tools = [], toolSources = [] }: ToolSupply): void {
    this.#tools = sortByName([...this.#tools, ...tools]);
    this.#sources = [...this.#sources, ...toolSources];
    this.#agents = new WeakMap();
    for (const { name, capability } of tools) {
      this.#names.add(name);
      if (capability !== undefined) this.#toolsets.add(capability.name);
    }
    for (const { names = [], toolsets = [] } of toolSources) {
      for (const name of names) this.#names.add(name);
      for (const toolset of toolsets) this.#toolsets.add(toolset);
    }
  }

  async offered(turn: ToolTurn): Promise<readonly OfferedTool[]> {
    const found = this.#toolsOf(turn.grants);
    if (found.sources.length === 0) return found.native;
    return withSources(found, turn, { switches: this.#switches, log: this.#log });
  }

  withheld(grants: ToolGrants, offered: readonly OfferedTool[]): readonly WithheldTool[] {
    const has = new Set(offered.map(({ tool }) => tool.name));
    const native = new Map(this.#tools.map((tool) => [tool.name, tool]));
    return [...this.#names]
      .filter((name) => !has.has(name))
      .sort()
      .map((name) => ({ name, ...withheldReason(native.get(name), grants, this.#switches) }));
  }

  exists(name: string): boolean {
    return this.#names.has(name);
  }

  validate(tool: Tool, input: unknown): readonly string[] {
    return this.check(tool.inputSchema, input);
  }

  hasToolset(name: string): boolean {
    return this.#toolsets.has(name);
  }

  #toolsOf(grants: ToolGrants): AgentTools {
    const known = this.#agents.get(grants);
    if (known !== undefined) return known;
    const native = this.#tools.map((tool) => offer(tool, grants, this.#switches)).filter((one) => one !== undefined);
    const found = { native, sources: this.#sources.filter((source) => source.concerns(grants)) };
    this.#agents.set(grants, found);
    return found;
  }
}

/** All tools by name, and which of them an agent is offered. */
export const createToolRegistry = (deps: ToolRegistryDeps): ToolRegistry => new Registry(deps);

/** Native tools, then those of the sources whose names are still free, sorted by name. */
const withSources = async (
  { native, sources }: AgentTools,
  turn: ToolTurn,
  by: { readonly switches: CapabilitySwitches; readonly log: Pick<Log, 'warn'> },
): Promise<readonly OfferedTool[]> => {
  const lists = await Promise.all(sources.map((source) => listed(source, turn, by.log)));
  const offered = new Map(native.map((one) => [one.tool.name, one]));
  for (const tool of lists.flat()) {
    const one = offer(tool, turn.grants, by.switches);
    if (one !== undefined && !offered.has(tool.name)) offered.set(tool.name, one);
  }
  return [...offered.values()].sort((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
};

/** A source that fails costs its own tools only. */
const listed = async (source: ToolSource, turn: ToolTurn, log: Pick<Log, 'warn'>): Promise<readonly Tool[]> => {
  try {
    const tools = await source.tools(turn);
    return tools.filter((tool) => TOOL_NAME.test(tool.name));
  } catch (error) {
    if (turn.signal.aborted) return [];
    const { namespace, agent } = turn.grants;
    const facts = { source: source.name, namespace, agent, turn: turn.turnId };
    log.warn('tools could not be listed', { ...facts, reason: String(error) });
    return [];
  }
};

const offer = (tool: Tool, grants: ToolGrants, switches: CapabilitySwitches): OfferedTool | undefined => {
  const { capability } = tool;
  if (capability === undefined) return { tool, approval: 'allow', reach: 'own' };
  if (isFeatureMissing(grants, capability)) return undefined;
  const granted = narrowerGrants(grants.capabilities, capability, switches);
  const approval = approvalWith(approvalOf(grants.capabilities, capability, switches), capability, granted);
  if (approval === undefined || approval === 'deny') return undefined;
  const narrower = capability.narrower === undefined ? {} : { narrower: [...granted.keys()] };
  return { tool, approval, reach: reachOf(grants.capabilities, capability), ...narrower };
};

/** Approval of a tool of which parts may be granted: the strictest of what is. */
const approvalWith = (
  own: ApprovalMode | undefined,
  { action, narrower }: ToolCapability,
  granted: ReadonlyMap<string, ApprovalMode>,
): ApprovalMode | undefined => (narrower?.of === action ? strictest([...granted.values()]) : own);

const sortByName = (tools: readonly Tool[]): readonly Tool[] => {
  const sorted = [...tools].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const [index, tool] of sorted.entries()) {
    if (!TOOL_NAME.test(tool.name))
      throw new Fault('INVALID_ARGUMENT', 'TOOL_NAME', `tool name ${tool.name} is not usable`);
    if (sorted[index + 1]?.name === tool.name)
      throw new Fault('ALREADY_EXISTS', 'TOOL_NAME', `two tools are named ${tool.name}`);
  }
  return sorted;
};
