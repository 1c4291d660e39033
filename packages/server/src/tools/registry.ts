import { Fault, type Log } from '../base/index.ts';
import { approvalOf, type CapabilitySwitches, narrowerGrants, reachOf, strictest } from './capability-rules.ts';
import type {
  ApprovalMode,
  JudgedTools,
  OfferedTool,
  Tool,
  ToolCapability,
  ToolGrants,
  ToolRegistry,
  ToolSource,
  ToolSupply,
  ToolTurn,
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
    const { native, sources } = this.#toolsOf(turn.grants);
    if (sources.length === 0) return native;
    return merged(native, await listedBy(sources, turn, this.#log), { ...turn, switches: this.#switches });
  }

  async judged(turn: ToolTurn): Promise<JudgedTools> {
    const { native, sources } = this.#toolsOf(turn.grants);
    const listed = await listedBy(sources, turn, this.#log);
    const offered = merged(native, listed, { ...turn, switches: this.#switches });
    const has = new Set(offered.map(({ tool }) => tool.name));
    const known = new Map([...listed, ...this.#tools].map((tool) => [tool.name, tool]));
    const names = new Set([...known.keys(), ...this.#names]);
    const withheld = [...names]
      .filter((name) => !has.has(name))
      .sort()
      .map((name) => ({ name, ...withheldReason(known.get(name), turn.grants, this.#switches) }));
    return { offered, withheld };
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

/** Tools of the sources, which are asked side by side. */
const listedBy = async (
  sources: readonly ToolSource[],
  turn: ToolTurn,
  log: Pick<Log, 'warn'>,
): Promise<readonly Tool[]> => (await Promise.all(sources.map((source) => listed(source, turn, log)))).flat();

/** Native tools, then those of the sources whose names are still free, sorted by name. */
const merged = (
  native: readonly OfferedTool[],
  listed: readonly Tool[],
  { grants, switches }: { readonly grants: ToolGrants; readonly switches: CapabilitySwitches },
): readonly OfferedTool[] => {
  const offered = new Map(native.map((one) => [one.tool.name, one]));
  for (const tool of listed) {
    const one = offer(tool, grants, switches);
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
