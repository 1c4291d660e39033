import { type AgentSpec, AgentSpecSchema } from '@svc/api/resources';
import type {
  Look,
  LookReads,
  NamespaceFacts,
  ReconcileOutcome,
  Reconciler,
  ResourceWriter,
} from '../../../controllers/contract.ts';
import { isSaid, messageFromText, SYSTEM_NAMESPACE } from '../../../resources/index.ts';
import type {
  ReadTx,
  ResourceChange,
  ResourceKey,
  ResourceReads,
  Store,
  StoredResource,
} from '../../../store/contracts/index.ts';
import { AgentDependants } from './agent-dependants.ts';
import { type AgentDependencies, type AgentJudgement, judgeAgent } from './agent-findings.ts';
import { agentStatus, judgedAgent } from './agent-kind.ts';

export interface AgentControllerDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
  readonly namespaces: NamespaceFacts;
  readonly dependencies: AgentDependencies;
  /** Namespaces below one, itself not included. */
  readonly descendants: (resources: ResourceReads, namespace: string) => Promise<readonly string[]>;
}

const RESYNC_MS = 300_000;
/** Features and references that were missing are looked for again this often. */
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
  const dependants = new AgentDependants();
  return {
    name: 'agent',
    kinds: ['Agent'],
    resyncMs: RESYNC_MS,
    looksAtResourcesOnly: true,
    concerns: ({ resource: { key } }) => key.kind === 'Agent' || CANDIDATES.has(key.kind),
    keysFor: (change, reads) => keysFor({ ...deps, dependants }, change, reads),
    look: (record, reads) => look(deps, record, reads),
    reconcile: (key) => reconcile(deps, key),
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
    if (change.change === 'updated') return change.sections.includes('spec') ? [key] : [];
    // Connections lead to it from any namespace.
    return deps.dependants.of(key, reads, async () => undefined);
  }
  return deps.dependants.of(key, reads, async () =>
    key.namespace === SYSTEM_NAMESPACE ? undefined : [key.namespace, ...(await deps.descendants(reads, key.namespace))],
  );
};

/** Due when the stored status does not say what is found now. */
const look = async (
  deps: AgentControllerDeps,
  record: StoredResource,
  reads: Pick<LookReads, 'resources'>,
): Promise<Look> => {
  const judgement = await judge(deps, record, reads);
  return isSaid(record.status, judgedAgent(judgement), record.generation) ? outcomeOf(judgement) : { due: true };
};

const reconcile = async (deps: AgentControllerDeps, key: ResourceKey): Promise<ReconcileOutcome> => {
  const seen = await deps.store.read(async (tx) => {
    const record = await tx.resources.get(key);
    return record === undefined ? ({ done: true } as const) : look(deps, record, tx);
  });
  if (!('due' in seen)) return seen;
  return deps.store.write(async (tx) => {
    const record = await tx.resources.get(key);
    if (record === undefined) return { done: true };
    const judgement = await judge(deps, record, tx);
    await deps.writer.writeStatus(tx, key, (current) => ({
      status: agentStatus(current, judgement, { now: tx.now(), generation: current.generation }),
    }));
    return outcomeOf(judgement);
  });
};

const outcomeOf = (judgement: AgentJudgement): ReconcileOutcome =>
  judgement.isDegraded || judgement.notReady !== '' ? { againMs: MISSING_MS } : { done: true };

const judge = async (
  deps: AgentControllerDeps,
  record: StoredResource,
  reads: Pick<ReadTx, 'resources'>,
): Promise<AgentJudgement> => {
  const { namespace } = record.key;
  const spec = messageFromText(AgentSpecSchema, record.spec) as AgentSpec;
  const ancestors = await deps.namespaces.ancestors(reads, namespace);
  return judgeAgent(reads, { namespace, spec, annotations: record.annotations, ancestors }, deps.dependencies);
};
