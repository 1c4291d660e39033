import type { CommonResourceStatus } from '@svc/api/resources';
import type {
  LookReads,
  NamespaceFacts,
  ReconcileOutcome,
  Reconciler,
  ResourceWriter,
} from '../../../controllers/contract.ts';
import { commonStatus, kindRow, messageText, SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import {
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  resourcePages,
  type Store,
  type StoredResource,
} from '../../../store/contracts/index.ts';
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

/** Keeps phase and conditions of servers and bindings true when servers and secrets come, change or go. */
export const mcpController = (deps: McpControllerDeps): Reconciler => {
  const references = new McpReferences(deps.namespaces);
  return {
    name: 'mcp',
    kinds: ['McpServer', 'McpServerBinding'],
    resyncMs: RESYNC_MS,
    looksAtResourcesOnly: true,
    concerns: ({ resource }) => AFFECTED.has(resource.key.kind),
    keysFor: (change, reads) => keysFor(deps, change, reads),
    look: async (record, reads) => ((await isStale(reads, record, references)) ? { due: true } : DONE),
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

const DONE = { done: true } as const;

const reconcile = async (
  { store, writer }: McpControllerDeps,
  references: McpReferences,
  key: ResourceKey,
): Promise<ReconcileOutcome> => {
  const isDue = await store.read(async ({ resources }) => {
    const record = await resources.get(key);
    return record !== undefined && (await isStale({ resources, now: () => store.now() }, record, references));
  });
  if (isDue)
    await store.write(async (tx) => {
      const record = await tx.resources.get(key);
      if (record === undefined) return;
      const status = await statusOf(tx, record, references);
      await writer.writeStatus(tx, key, () => ({ status }));
    });
  return DONE;
};

type Reads = Pick<LookReads, 'resources' | 'now'>;

const isStale = async (reads: Reads, record: StoredResource, references: McpReferences): Promise<boolean> => {
  const status = await statusOf(reads, record, references);
  return messageText(kindRow('McpServer').status, status) !== record.status;
};

const statusOf = async (
  reads: Reads,
  record: StoredResource,
  references: McpReferences,
): Promise<CommonResourceStatus> => {
  const { namespace, name, kind } = record.key;
  const judgement =
    kind === 'McpServer'
      ? await judgeServer(reads, { namespace, spec: serverSpec(record) }, references)
      : await judgeBinding(reads, { namespace, name, spec: bindingSpec(record) }, references);
  return commonStatus(record, judgement, { now: reads.now(), generation: record.generation });
};
