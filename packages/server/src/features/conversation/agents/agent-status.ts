import { create } from '@bufbuild/protobuf';
import { type AgentSpec, AgentSpecSchema, type AgentStatus, AgentStatusSchema } from '@svc/api/resources';
import type {
  CheckReads,
  CheckResult,
  NamespaceFacts,
  ObservedSpec,
  StatusDependencies,
} from '../../../controllers/contract.ts';
import {
  isSaid,
  type Judged,
  judgedConditions,
  kindRow,
  messageFromText,
  SYSTEM_NAMESPACE,
} from '../../../resources/index.ts';
import type {
  ReadTx,
  ResourceChange,
  ResourceKey,
  ResourceReads,
  StoredResource,
} from '../../../store/contracts/index.ts';
import { AgentDependants } from './agent-dependants.ts';
import { type AgentDependencies, judgeAgent } from './agent-findings.ts';

export interface AgentStatusDeps {
  readonly namespaces: Pick<NamespaceFacts, 'ancestors'>;
  readonly dependencies: AgentDependencies;
  /** Namespaces below one, itself not included. */
  readonly descendants: (resources: ResourceReads, namespace: string) => Promise<readonly string[]>;
}

/** Features and references that were missing are searched again this often. */
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

/** Status of an agent by what is found of it now. */
export const observeAgent = async (
  deps: AgentStatusDeps,
  reads: CheckReads,
  observed: ObservedSpec<AgentSpec>,
): Promise<AgentStatus> => {
  const { current, generation } = observed;
  const judged = await judge(deps, reads, observed);
  return create(AgentStatusSchema, {
    observedGeneration: BigInt(generation),
    phase: judged.phase,
    conditions: judgedConditions(current === undefined ? [] : storedStatus(current).conditions, judged, {
      now: reads.now(),
      generation,
    }),
  });
};

const storedStatus = (record: StoredResource): AgentStatus =>
  messageFromText(kindRow('Agent').status, record.status) as AgentStatus;

const DEGRADED = 'Degraded';

/** Phase and findings of an agent. */
const judge = async (
  deps: AgentStatusDeps,
  reads: Pick<ReadTx, 'resources'>,
  { key: { namespace }, spec, annotations }: Pick<ObservedSpec<AgentSpec>, 'key' | 'spec' | 'annotations'>,
): Promise<Judged> => {
  const ancestors = await deps.namespaces.ancestors(reads, namespace);
  const facts = { namespace, spec, annotations, ancestors };
  const { isDegraded, notReady, findings } = await judgeAgent(reads, facts, deps.dependencies);
  return { phase: isDegraded || notReady !== '' ? DEGRADED : 'Ready', findings };
};

/** What the status of agents depends on: what they refer to appears, changes or goes, and what is missing is searched again. */
export const agentStatusDependencies = (deps: AgentStatusDeps): StatusDependencies => {
  const dependants = new AgentDependants();
  return {
    whileDeleting: true,
    checksResourcesOnly: true,
    concerns: ({ resource: { key } }) => key.kind === 'Agent' || CANDIDATES.has(key.kind),
    keysFor: (change, reads) => keysFor({ ...deps, dependants }, change, reads),
    check: (record, reads) => check(deps, record, reads),
    againMs: (status) => againMs((status as AgentStatus).phase),
  };
};

const againMs = (phase: string): number | undefined => (phase === DEGRADED ? MISSING_MS : undefined);

const keysFor = async (
  deps: Pick<AgentStatusDeps, 'descendants'> & { readonly dependants: AgentDependants },
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
const check = async (
  deps: AgentStatusDeps,
  record: StoredResource,
  reads: Pick<ReadTx, 'resources'>,
): Promise<CheckResult> => {
  const spec = messageFromText(AgentSpecSchema, record.spec) as AgentSpec;
  const judged = await judge(deps, reads, { ...record, spec });
  if (!isSaid(record.status, judged, record.generation)) return { due: true };
  const wait = againMs(judged.phase);
  return wait === undefined ? { done: true } : { againMs: wait };
};
