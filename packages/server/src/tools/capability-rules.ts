import type { ApprovalMode, NamespaceReach, ToolCapability } from './contract.ts';

/** `capabilities.<capability>.<action>` of the configuration; `false` denies everywhere, `*` all actions. */
export type CapabilitySwitches = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** One valid entry of a capability list. */
interface CapabilityGrant {
  readonly action: string;
  readonly approval: ApprovalMode;
  /** `.` = the agent's own namespace, `.:*` = its descendants as well. */
  readonly namespaces: readonly string[];
}

/** AgentSpec.capabilities as plain JSON. */
export type Capabilities = Readonly<Record<string, readonly unknown[]>>;

const NAMESPACES: ReadonlySet<unknown> = new Set(['.', '.:*']);
const STRICTNESS: Readonly<Record<ApprovalMode, number>> = { allow: 0, ask: 1, deny: 2 };

/** The grant of one entry; undefined for names and JSON values that grant nothing. */
const parseEntry = (capability: string, entry: unknown): CapabilityGrant | undefined => {
  if (typeof entry === 'string') {
    return isKnownAction(capability, entry) ? { action: entry, approval: 'allow', namespaces: ['.'] } : undefined;
  }
  if (typeof entry !== 'object' || entry === null || !('action' in entry)) return undefined;
  const { action, approval = 'allow', namespaces = ['.'] } = entry as Readonly<Record<string, unknown>>;
  if (typeof action !== 'string' || !isKnownAction(capability, action)) return undefined;
  if (!isApproval(approval) || !Array.isArray(namespaces) || !namespaces.every((name) => NAMESPACES.has(name)))
    return undefined;
  return { action, approval, namespaces: namespaces as string[] };
};

const isApproval = (value: unknown): value is ApprovalMode => value === 'allow' || value === 'ask' || value === 'deny';

/**
 * Approval of an action, undefined when nothing grants it or the configuration switches it off. Entries that name the
 * action win over `*`; among equals the strictest wins, so that adding an entry never loosens a list by accident.
 */
export const approvalOf = (
  capabilities: Capabilities,
  wanted: ToolCapability,
  switches: CapabilitySwitches = {},
): ApprovalMode | undefined => {
  if (isSwitchedOff(wanted, switches)) return undefined;
  const matching = matchingGrants(capabilities, wanted);
  if (matching.length === 0) return isGrantedAnyway(capabilities, wanted) ? 'allow' : undefined;
  return strictest(matching.map((grant) => grant.approval));
};

/** Whether the configuration denies the action everywhere. */
export const isSwitchedOff = ({ name, action }: ToolCapability, switches: CapabilitySwitches): boolean => {
  const off = Object.hasOwn(switches, name) ? switches[name] : undefined;
  return off !== undefined && (off['*'] === false || off[action] === false);
};

/**
 * The narrower actions of a capability that are granted, with their approval. Entries that name one decide about it; without any, it is
 * granted as the action that it is a part of.
 */
export const narrowerGrants = (
  capabilities: Capabilities,
  { name, narrower }: ToolCapability,
  switches: CapabilitySwitches = {},
): ReadonlyMap<string, ApprovalMode> => {
  const { of = '', actions = [] } = narrower ?? {};
  const named = new Set(grantsOf(capabilities, name).map(({ action }) => action));
  const isOff = (action: string): boolean => Object.hasOwn(switches, name) && switches[name]?.[action] === false;
  const judged = actions
    .filter((action) => !isOff(action))
    .map((action) => {
      const decisive = named.has(action) ? action : of;
      return [action, approvalOf(capabilities, { name, action: decisive }, switches)] as const;
    });
  return new Map(
    judged.flatMap(([action, given]) => (given === undefined || given === 'deny' ? [] : [[action, given]])),
  );
};

/** The strictest of some approvals; undefined for none. */
export const strictest = (approvals: readonly ApprovalMode[]): ApprovalMode | undefined =>
  [...approvals].sort((a, b) => STRICTNESS[b] - STRICTNESS[a])[0];

/** How far the entries that grant an action reach; entries that name the action win over `*`. */
export const reachOf = (capabilities: Capabilities, wanted: ToolCapability): NamespaceReach =>
  matchingGrants(capabilities, wanted).some((grant) => grant.namespaces.includes('.:*')) ? 'descendants' : 'own';

const matchingGrants = (capabilities: Capabilities, { name, action }: ToolCapability): readonly CapabilityGrant[] => {
  const grants = grantsOf(capabilities, name);
  const named = grants.filter((grant) => grant.action === action);
  return named.length > 0 ? named : grants.filter((grant) => grant.action === '*');
};

const isGrantedAnyway = (capabilities: Capabilities, { name, granted }: ToolCapability): boolean =>
  granted === 'always' || (granted === 'unless-listed' && !Object.hasOwn(capabilities, name));

/** The valid entries of one capability. */
export const grantsOf = (capabilities: Capabilities, capability: string): readonly CapabilityGrant[] => {
  const entries = new Map(Object.entries(capabilities)).get(capability) ?? [];
  return entries.map((entry) => parseEntry(capability, entry)).filter((grant) => grant !== undefined);
};

/** Readable reasons for condition CapabilitiesKnown False, empty when every entry is valid. */
export const capabilityProblems = (capabilities: Capabilities): readonly string[] =>
  Object.entries(capabilities)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([capability, entries]) => {
      if (!isKnownAction(capability, '*')) return [`unknown capability ${JSON.stringify(capability)}`];
      return entries
        .filter((entry) => parseEntry(capability, entry) === undefined)
        .map((entry) => `capability ${capability} does not know ${JSON.stringify(entry)}`);
    });

/** Actions of every capability; a name that is not here grants nothing and makes an agent Degraded. */
const CAPABILITY_ACTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    knowledge: ['search', 'read', 'write'],
    memory: ['inspect', 'read', 'create', 'update'],
    files: ['inspect', 'read', 'create', 'update', 'delete'],
    search: ['workspace', 'sessions', 'knowledge', 'open_result'],
    research: ['fetch_url', 'web_search'],
    schedules: ['inspect', 'create', 'update', 'delete', 'create:new', 'create:fresh', 'create:reuse', 'create:named'],
    sessions: ['inspect', 'read:messages', 'send_message'],
    tasks: ['inspect', 'create', 'update'],
    workflows: ['inspect', 'run'],
    goals: ['inspect', 'create', 'update'],
    people: ['ask'],
    code: ['run'],
    sandbox: ['exec', 'read', 'write'],
  }),
);

/** Capability whose actions are `<server>/<tool>` and only set the approval of remote tools. */
const MCP_CAPABILITY = 'mcp';

/** True for an action that the capability has; `*` stands for all of them. */
const isKnownAction = (capability: string, action: string): boolean => {
  if (action === '*') return capability === MCP_CAPABILITY || CAPABILITY_ACTIONS.has(capability);
  if (capability === MCP_CAPABILITY) return /^[^/]+\/.+$/.test(action);
  return CAPABILITY_ACTIONS.get(capability)?.includes(action) ?? false;
};
