import type { StatusDependencies } from '../../../controllers/contract.ts';
import { SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import {
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
} from '../../../store/contracts/index.ts';

/** Namespaces below one, itself not included. */
export type Descendants = (resources: ResourceReads, namespace: string) => Promise<readonly string[]>;

/** The status of servers and bindings depends on the secrets they name, that of bindings also on their server. */
export const mcpStatusDependencies = (
  kind: 'McpServer' | 'McpServerBinding',
  descendants: Descendants,
): StatusDependencies => {
  const followed: readonly string[] = kind === 'McpServer' ? ['Secret'] : ['McpServer', 'Secret'];
  return {
    whileDeleting: true,
    checksResourcesOnly: true,
    concerns: ({ resource }) => followed.includes(resource.key.kind),
    keysFor: async (change, reads) => keysIn(reads, kind, await namespacesOf(change, reads, descendants)),
  };
};

/** Where resources may refer to the one that changed; undefined = everywhere. */
const namespacesOf = async (
  { resource: { key } }: ResourceChange,
  reads: ResourceReads,
  descendants: Descendants,
): Promise<readonly string[] | undefined> =>
  key.namespace === SYSTEM_NAMESPACE && key.kind === 'McpServer'
    ? undefined
    : [key.namespace, ...(await descendants(reads, key.namespace))];

const keysIn = async (
  reads: ResourceReads,
  kind: string,
  namespaces: readonly string[] | undefined,
): Promise<readonly ResourceKey[]> => {
  const scope = namespaces === undefined ? ({ type: 'all' } as const) : ({ type: 'namespaces', namespaces } as const);
  const found: ResourceKey[] = [];
  for await (const page of resourcePages(reads, { kind, scope })) found.push(...page.map((record) => record.key));
  return found;
};
