import type { CommonResourceStatus } from '@svc/api/resources';
import type { NamespaceFacts, ReconcileOutcome, Reconciler, ResourceWriter } from '../../controllers/contract.ts';
import { commonStatus, kindRow, messageText, SYSTEM_NAMESPACE } from '../../resources/index.ts';
import {
  type ReadTx,
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type Store,
  type StoredResource,
} from '../../store/contracts/index.ts';
import { judgeBinding, judgeServer } from './mcp-judgement.ts';
import { bindingSpec, McpReferences, serverSpec } from './mcp-references.ts';

export interface McpControllerDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'now'>;
  readonly writer: Pick<ResourceWriter, 'writeStatus'>;
  readonly namespaces: Pick<NamespaceFacts, 'ancestors'>;
  /** Namespaces below one, itself not included. */
  readonly descendants: (resources: ResourceReads, namespace: string) => Promise<readonly string[]>;
}

const RESYNC_MS = 300_000;
/** Kinds whose conditions a change of the named kind may move. */
const AFFECTED: ReadonlyMap<string, readonly string[]> = new Map([
  ['McpServer', ['McpServerBinding']],
  ['Secret', ['McpServer', 'McpServerBinding']],
]);

/** Keeps phase and conditions of servers and bindings true when servers and secrets come, change or go (PL-10). */
export const mcpController = (deps: McpControllerDeps): Reconciler => {
  const references = new McpReferences(deps.namespaces);
  return {
    name: 'mcp',
    kinds: ['McpServer', 'McpServerBinding'],
    resyncMs: RESYNC_MS,
    concerns: ({ resource }) => AFFECTED.has(resource.key.kind),
    keysFor: (change, reads) => keysFor(deps, change, reads),
    reconcile: (key) => reconcile(deps, references, key),
  };
};

const keysFor = async (
  deps: McpControllerDeps,
  change: ResourceChange,
  reads: ResourceReads,
): Promise<readonly ResourceKey[]> => {
  const { kind, namespace } = change.resource.key;
  const keys: ResourceKey[] = [];
  for (const affected of AFFECTED.get(kind) ?? []) {
    const namespaces =
      namespace === SYSTEM_NAMESPACE && kind === 'McpServer'
        ? undefined
        : [namespace, ...(await deps.descendants(reads, namespace))];
    keys.push(...(await keysIn(reads, affected, namespaces)));
  }
  return keys;
};

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

const reconcile = async (
  deps: McpControllerDeps,
  references: McpReferences,
  key: ResourceKey,
): Promise<ReconcileOutcome> => {
  const isStale = await deps.store.read(async (tx) => {
    const record = await tx.resources.get(key);
    return (
      record !== undefined &&
      statusText(await statusOf(tx, record, { references, now: deps.store.now() })) !== record.status
    );
  });
  if (!isStale) return { done: true };
  await deps.store.write(async (tx) => {
    const record = await tx.resources.get(key);
    if (record === undefined) return;
    const status = await statusOf(tx, record, { references, now: tx.now() });
    await deps.writer.writeStatus(tx, key, () => ({ status }));
  });
  return { done: true };
};

const statusText = (status: CommonResourceStatus): string => messageText(kindRow('McpServer').status, status);

const statusOf = async (
  tx: Pick<ReadTx, 'resources'>,
  record: StoredResource,
  given: { readonly references: McpReferences; readonly now: number },
): Promise<CommonResourceStatus> => {
  const { namespace, name, kind } = record.key;
  const judgement =
    kind === 'McpServer'
      ? await judgeServer(tx, { namespace, spec: serverSpec(record) }, given.references)
      : await judgeBinding(tx, { namespace, name, spec: bindingSpec(record) }, given.references);
  return commonStatus(record, judgement, { now: given.now, generation: record.generation });
};
