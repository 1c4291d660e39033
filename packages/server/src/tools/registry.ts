import { Fault } from '../base/index.ts';
import { approvalOf, type CapabilitySwitches } from './capability-rules.ts';
import type { OfferedTool, Tool, ToolGrants, ToolRegistry } from './contract.ts';
import { createSchemaCheck } from './schema-check.ts';

interface ToolRegistryDeps {
  /** Native tools of this process; names are unique. */
  readonly tools: readonly Tool[];
  /** `capabilities.*` of the configuration. */
  readonly switches?: CapabilitySwitches;
}

/** Names of tools as models and configuration see them. */
const TOOL_NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Toolsets that an agent has only if its spec lists them as a feature. */
const ONLY_AS_FEATURE: ReadonlySet<string> = new Set(['goals']);

/** Toolsets whose backend every process has. */
const BUILT_IN: ReadonlySet<string> = new Set(['goals']);

/** True for a toolset whose backend this process has. */
export const isToolsetAvailable = (name: string): boolean => BUILT_IN.has(name);

/**
 * All tools by name, and which of them an agent is offered; throws a Fault for a bad or duplicate tool name, which stops
 * the start.
 */
export const createToolRegistry = (deps: ToolRegistryDeps): ToolRegistry => {
  const tools = sortByName(deps.tools);
  const names = new Set(tools.map((tool) => tool.name));
  const switches = deps.switches ?? {};
  // All turns of one agent revision share its list.
  const offers = new WeakMap<ToolGrants, readonly OfferedTool[]>();
  return {
    offered: (grants) => {
      const known = offers.get(grants);
      if (known !== undefined) return known;
      const offered = tools.map((tool) => offer(tool, grants, switches)).filter((one) => one !== undefined);
      offers.set(grants, offered);
      return offered;
    },
    exists: (name) => names.has(name),
    validate: createSchemaCheck(),
  };
};

const offer = (tool: Tool, grants: ToolGrants, switches: CapabilitySwitches): OfferedTool | undefined => {
  if (tool.capability === undefined) return { tool, approval: 'allow' };
  if (ONLY_AS_FEATURE.has(tool.capability.name) && !hasToolset(grants, tool.capability.name)) return undefined;
  const approval = approvalOf(grants.capabilities, tool.capability, switches);
  return approval === undefined || approval === 'deny' ? undefined : { tool, approval };
};

const hasToolset = (grants: ToolGrants, name: string): boolean =>
  grants.features.some((feature) => feature.name === name && (feature.type === 'toolset' || feature.type === ''));

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
