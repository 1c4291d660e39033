import { approvalOf, type CapabilitySwitches, isSwitchedOff } from './capability-rules.ts';
import type { Tool, ToolCapability, ToolGrants, WithheldTool } from './contract.ts';

/** Toolsets that an agent has only if its spec lists them as a feature. */
const ONLY_AS_FEATURE: ReadonlySet<string> = new Set(['goals']);

/** Whether the tool belongs to a toolset that the agent would have to list as a feature. */
export const isFeatureMissing = ({ features }: ToolGrants, { name }: ToolCapability): boolean =>
  ONLY_AS_FEATURE.has(name) &&
  !features.some((feature) => feature.name === name && (feature.type === 'toolset' || feature.type === ''));

const UNAVAILABLE = {
  reason: 'Unavailable',
  message: 'what it works on is not there, or nothing grants it',
} as const;

/** Why an agent is not offered a tool; undefined is one that only a source knows which was not asked, or did not list it. */
export const withheldReason = (
  tool: Tool | undefined,
  grants: ToolGrants,
  switches: CapabilitySwitches,
): Omit<WithheldTool, 'name'> => {
  const capability = tool?.capability;
  if (capability === undefined) return UNAVAILABLE;
  const { name, action } = capability;
  if (isFeatureMissing(grants, capability))
    return { reason: 'FeatureMissing', message: `the agent does not list ${name} as a feature of type toolset` };
  if (isSwitchedOff(capability, switches))
    return { reason: 'SwitchedOff', message: `capabilities.${name}.${action} is false in the configuration` };
  if (approvalOf(grants.capabilities, capability) === 'deny')
    return { reason: 'Denied', message: `the agent's capabilities deny ${name}:${action}` };
  return { reason: 'NotGranted', message: `the agent's capabilities do not grant ${name}:${action}` };
};
