import type { AcpRuntime } from '@svc/api/resources';
import { type AgentProgram, KNOWN_AGENTS, type PermissionChoice } from '../../../protocols/acp/contract.ts';
import type { SandboxPlan } from '../../../sandbox/contract.ts';

export type PolicyKey = 'filesystemRead' | 'filesystemWrite' | 'terminal' | 'default';

const KEYS: ReadonlyMap<string, PolicyKey> = new Map([
  ['read', 'filesystemRead'],
  ['search', 'filesystemRead'],
  ['edit', 'filesystemWrite'],
  ['delete', 'filesystemWrite'],
  ['move', 'filesystemWrite'],
  ['execute', 'terminal'],
]);

/** Which entry of the permission policy decides about a tool of this kind. */
export const policyKeyOf = (toolKind: string): PolicyKey => KEYS.get(toolKind) ?? 'default';

/** What the policy says: the entry, else `default`, else ask. */
export const decisionOf = (policy: Readonly<Record<string, string>>, key: PolicyKey): 'allow' | 'ask' | 'deny' => {
  const said = policy[key] ?? policy['default'];
  return said === 'allow' || said === 'deny' ? said : 'ask';
};

export const isAllowing = ({ kind }: PermissionChoice): boolean => kind.startsWith('allow');

/** The choice that a policy makes by itself: once before always; undefined when there is none that fits. */
export const choiceFor = (
  decision: 'allow' | 'deny',
  choices: readonly PermissionChoice[],
): PermissionChoice | undefined => {
  const kinds = decision === 'allow' ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  for (const kind of kinds) {
    const found = choices.find((choice) => choice.kind === kind);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** An entry of `acp.harnesses`. */
export type ConfiguredHarness = { readonly [Key in keyof AgentProgram]?: AgentProgram[Key] | undefined };

/** How the harness of an agent is started: what the agent says goes over the entry that it names; undefined without either. */
export const harnessProgram = (
  { harnessRef, command, args, env }: Pick<AcpRuntime, 'harnessRef' | 'command' | 'args' | 'env'>,
  configured: Readonly<Record<string, ConfiguredHarness>>,
): AgentProgram | undefined => {
  const all: Readonly<Record<string, ConfiguredHarness>> = { ...KNOWN_AGENTS, ...configured };
  const entry = Object.hasOwn(all, harnessRef) ? all[harnessRef] : undefined;
  if (entry === undefined && (command === '' || harnessRef !== '')) return undefined;
  const isOther = command !== '' && command !== entry?.command;
  return {
    command: command === '' ? (entry?.command ?? '') : command,
    // Arguments of an entry mean nothing to another command.
    args: args.length > 0 ? args : isOther ? [] : (entry?.args ?? []),
    env: { ...entry?.env, ...env },
  };
};

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Where the harness works; undefined for a folder in which it may not. */
export const workFolder = (
  cwd: string,
  { mountPath, writable }: Pick<SandboxPlan, 'mountPath' | 'writable'>,
): string | undefined => {
  if (cwd === '') return mountPath;
  const isPlain = cwd.startsWith('/') && !cwd.split('/').some((part) => part === '..' || part === '.');
  return isPlain && [mountPath, ...writable].some((folder) => isWithin(cwd, folder)) ? cwd : undefined;
};

/** Lines of a file from `line` (the first is 1), at most `limit`. */
export const linesOf = (text: string, line: number, limit: number): string => {
  if (line <= 1 && limit === Number.POSITIVE_INFINITY) return text;
  const from = Math.max(0, line - 1);
  return text
    .split('\n')
    .slice(from, from + limit)
    .join('\n');
};
