import {
  isJsonMap,
  type JsonMap,
  NOT_EXECUTED,
  parseJsonMap,
  parseSecretReference,
  SYSTEM_NAMESPACE,
} from '../../../resources/index.ts';
import type { ReadTx, StoredResource } from '../../../store/contracts/index.ts';

type Reads = Pick<ReadTx, 'resources'>;

/** Sandbox policy of agents that name none. */
export const DEFAULT_POLICY = 'default';

/** Where a reference is searched: the agent's namespace, then its ancestors, nearest first. */
export interface Ancestry {
  readonly own: string;
  readonly ancestors: readonly string[];
}

const find = (reads: Reads, kind: string, address: { readonly namespace: string; readonly name: string }) =>
  reads.resources.get({ kind, namespace: address.namespace, parent: '', name: address.name });

/** The nearest resource of that name in own and ancestors, then in `further` namespaces. */
const findNearest = async (
  reads: Reads,
  wanted: { readonly kind: string; readonly name: string; readonly further?: readonly string[] },
  ancestry: Ancestry,
): Promise<StoredResource | undefined> => {
  for (const namespace of [ancestry.own, ...ancestry.ancestors, ...(wanted.further ?? [])]) {
    const found = await find(reads, wanted.kind, { namespace, name: wanted.name });
    if (found !== undefined) return found;
  }
  return undefined;
};

/** What an entry of mcp_server_refs means: a binding in the own namespace, else the nearest server, else `system`'s. */
export const findMcpServer = async (reads: Reads, name: string, ancestry: Ancestry): Promise<McpTarget | undefined> => {
  const binding = await find(reads, 'McpServerBinding', { namespace: ancestry.own, name });
  const serverRef = binding === undefined ? '' : String(specOf(binding)['serverRef'] ?? '');
  const server = await findNearest(
    reads,
    { kind: 'McpServer', name: serverRef === '' ? name : serverRef, further: [SYSTEM_NAMESPACE] },
    ancestry,
  );
  if (server === undefined) return undefined;
  const records = binding === undefined ? [server] : [binding, server];
  return {
    isEnabled: records.every((record) => specOf(record)['disabled'] !== true),
    isReachable: records.every((record) => conditionOf(record, 'Reachable')?.['status'] !== 'False'),
  };
};

export interface McpTarget {
  readonly isEnabled: boolean;
  readonly isReachable: boolean;
}

/** True when a Skill of that name is complete somewhere in the ancestry. */
export const isSkillVisible = async (reads: Reads, name: string, ancestry: Ancestry): Promise<boolean> => {
  for (const namespace of [ancestry.own, ...ancestry.ancestors]) {
    const skill = await find(reads, 'Skill', { namespace, name });
    const { description, instructions } = skill === undefined ? ({} as JsonMap) : specOf(skill);
    if (isText(description) && isText(instructions)) return true;
  }
  return false;
};

/** True when a SandboxPolicy resolves and its class is neither known to be unusable nor one that nothing provisions. */
export const isSandboxUsable = async (reads: Reads, name: string, ancestry: Ancestry): Promise<boolean> => {
  const policy = await findNearest(
    reads,
    { kind: 'SandboxPolicy', name: name === '' ? DEFAULT_POLICY : name },
    ancestry,
  );
  if (policy === undefined) return false;
  const reference = specOf(policy)['classRef'];
  if (!isJsonMap(reference)) return false;
  const className = String(reference['name'] ?? '');
  const given = String(reference['namespace'] ?? '');
  const found =
    given === ''
      ? await findNearest(reads, { kind: 'SandboxClass', name: className, further: [SYSTEM_NAMESPACE] }, ancestry)
      : await find(reads, 'SandboxClass', { namespace: given, name: className });
  return found !== undefined && isExecuted(found) && conditionOf(found, 'Ready')?.['status'] !== 'False';
};

/** True when a reference, `secret://name/key` or `name/key`, leads to a key of a visible Secret: own, else the nearest ancestor's that may be inherited. */
export const isSecretVisible = async (reads: Reads, reference: string, ancestry: Ancestry): Promise<boolean> => {
  const wanted = parseSecretReference(reference);
  if (wanted === undefined) return false;
  for (const namespace of [ancestry.own, ...ancestry.ancestors]) {
    const secret = await find(reads, 'Secret', { namespace, name: wanted.name });
    if (secret === undefined) continue;
    if (namespace !== ancestry.own && secret.annotations['option.svc/inheritable'] !== 'true') continue;
    const { data } = specOf(secret);
    return isJsonMap(data) && Object.hasOwn(data, wanted.key);
  }
  return false;
};

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

const specOf = (record: StoredResource): JsonMap => parseJsonMap(record.spec) ?? {};

const isExecuted = (record: StoredResource): boolean => conditionOf(record, 'Ready')?.['reason'] !== NOT_EXECUTED;

const conditionOf = (record: StoredResource, type: string): JsonMap | undefined => {
  const conditions = parseJsonMap(record.status)?.['conditions'];
  if (!Array.isArray(conditions)) return undefined;
  return (conditions as readonly JsonMap[]).find((condition) => condition['type'] === type);
};
