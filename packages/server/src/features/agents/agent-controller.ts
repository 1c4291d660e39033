import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import type { NamespaceFacts, ReconcileOutcome, Reconciler, ResourceWriter } from '../../controllers/contract.ts';
import { kindRow, messageText, SpecReader, SYSTEM_NAMESPACE } from '../../resources/index.ts';
import type {
  ReadTx,
  ResourceChange,
  ResourceKey,
  ResourceReads,
  Store,
  StoredResource,
} from '../../store/contracts/index.ts';
import { AgentDependants } from './agent-dependants.ts';
import { type AgentJudgement, type AgentSurroundings, judgeAgent } from './agent-findings.ts';
import { agentStatus } from './agent-kind.ts';

export interface AgentControllerDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly namespaces: NamespaceFacts;
  readonly surroundings: AgentSurroundings;
  /** Namespaces below one, itself not included. */
  readonly descendants: (resources: ResourceReads, namespace: string) => Promise<readonly string[]>;
}

const RESYNC_MS = 300_000;
/** Features and references that were missing are looked for again this often (RT-6.3). */
const MISSING_MS = 60_000;
const CANDIDATES: ReadonlySet<string> = new Set([
  'McpServer',
  'McpServerBinding',
  'Skill',
  'SandboxPolicy',
  'SandboxClass',
  'Secret',
  'Template',
]);

/** Keeps conditions and phase of agents true when what they refer to comes, changes or goes. */
export const agentController = (deps: AgentControllerDeps): Reconciler => {
  const specs = new SpecReader();
  const dependants = new AgentDependants();
  return {
    name: 'agent',
    kinds: ['Agent'],
    resyncMs: RESYNC_MS,
    concerns: ({ resource: { key } }) => key.kind === 'Agent' || CANDIDATES.has(key.kind),
    keysFor: (change, reads) => keysFor({ ...deps, dependants }, change, reads),
    reconcile: (key) => reconcile(deps, specs, key),
  };
};

const keysFor = async (
  deps: Pick<AgentControllerDeps, 'descendants'> & { readonly dependants: AgentDependants },
  change: ResourceChange,
  reads: ResourceReads,
): Promise<readonly ResourceKey[]> => {
  const { key } = change.resource;
  if (key.kind === 'Agent') {
    deps.dependants.note(change);
    return change.change === 'updated' && change.sections.includes('spec') ? [key] : [];
  }
  return deps.dependants.of(key, reads, async () =>
    key.namespace === SYSTEM_NAMESPACE ? undefined : [key.namespace, ...(await deps.descendants(reads, key.namespace))],
  );
};

const reconcile = async (deps: AgentControllerDeps, specs: SpecReader, key: ResourceKey): Promise<ReconcileOutcome> => {
  const seen = await deps.store.read(async (tx) => {
    const record = await tx.resources.get(key);
    if (record === undefined) return undefined;
    return { record, judgement: await judge(deps, tx, { record, spec: specs.read(AgentSpecSchema, record) }) };
  });
  if (seen === undefined) return { done: true };
  if (isStale(seen.record, seen.judgement, deps.store.now()))
    await deps.store.write(async (tx) => {
      const record = await tx.resources.get(key);
      if (record === undefined) return;
      const judgement = await judge(deps, tx, { record, spec: specs.read(AgentSpecSchema, record) });
      await deps.writer.writeStatus(tx, key, (current) => ({
        status: agentStatus(current, judgement, { now: tx.now(), generation: current.generation }),
      }));
    });
  return seen.judgement.isDegraded || seen.judgement.notReady !== '' ? { againMs: MISSING_MS } : { done: true };
};

const judge = async (
  deps: AgentControllerDeps,
  reads: Pick<ReadTx, 'resources'>,
  subject: { readonly record: StoredResource; readonly spec: AgentSpec },
): Promise<AgentJudgement> => {
  const { record, spec } = subject;
  const { namespace } = record.key;
  const ancestors = await deps.namespaces.ancestors(reads, namespace);
  return judgeAgent(reads, { namespace, spec, annotations: record.annotations, ancestors }, deps.surroundings);
};

const isStale = (record: StoredResource, judgement: AgentJudgement, now: number): boolean => {
  const status = agentStatus(record, judgement, { now, generation: record.generation });
  return messageText(kindRow('Agent').status, status) !== record.status;
};
