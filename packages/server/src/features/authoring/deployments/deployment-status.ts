import { create } from '@bufbuild/protobuf';
import { type DeploymentStatus, DeploymentStatusSchema } from '@svc/api/resources';
import { type Finding, judgedConditions, messageFromText } from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';

/** The state of a selected namespace: its replica as it was last judged. */
export interface ReplicaStanding {
  /** Undefined while there is no replica, or one that is going. */
  readonly phase: string | undefined;
  /** Rendered from the deployment and templates as they are now. */
  readonly isUpdated: boolean;
  readonly isRenderFailed: boolean;
}

export interface ReplicaCounts {
  readonly desired: number;
  readonly updated: number;
  readonly ready: number;
  readonly pending: number;
  readonly degraded: number;
}

/** Counts over the selected namespaces; ready, pending and degraded add up to desired. */
export const countReplicas = (standings: readonly ReplicaStanding[]): ReplicaCounts => {
  const present = standings.filter(({ phase }) => phase !== undefined);
  const degraded = present.filter(({ phase }) => phase === 'Degraded').length;
  const ready = present.filter(({ phase, isUpdated }) => phase === 'Ready' && isUpdated).length;
  return {
    desired: standings.length,
    updated: present.filter(({ isUpdated }) => isUpdated).length,
    ready,
    pending: standings.length - ready - degraded,
    degraded,
  };
};

/** Typed status of a stored deployment. */
export const deploymentStatus = (record: Pick<StoredResource, 'status'>): DeploymentStatus =>
  messageFromText(DeploymentStatusSchema, record.status) as DeploymentStatus;

export interface DeploymentFacts {
  readonly standings: readonly ReplicaStanding[];
  /** Names of replicas, sorted. */
  readonly replicas: readonly string[];
  readonly missingTemplates: readonly string[];
  /** Resource versions of the templates that are there, in the order of the spec. */
  readonly templateVersions: readonly number[];
  /** Most namespaces that get a replica; who has one keeps it. */
  readonly replicasMax: number;
}

/** Status of a deployment by what its replicas say of themselves. */
export const judgeDeployment = (current: StoredResource, facts: DeploymentFacts, now: number): DeploymentStatus => {
  const counts = countReplicas(facts.standings);
  const phase = counts.degraded > 0 ? 'Degraded' : counts.pending > 0 ? 'Pending' : 'Ready';
  const renderFailed = facts.standings.filter(({ isRenderFailed }) => isRenderFailed).length;
  const findings: readonly Finding[] = [
    readyFinding(phase, counts, renderFailed),
    selectedFinding(counts.desired, facts.replicasMax),
    templatesFinding(facts.missingTemplates),
    renderedFinding(renderFailed, counts),
  ];
  const { generation, key } = current;
  return create(DeploymentStatusSchema, {
    observedGeneration: BigInt(generation),
    phase,
    conditions: judgedConditions(deploymentStatus(current).conditions, { phase, findings }, { now, generation }),
    replicas: facts.replicas.map((name) => ({ namespace: key.namespace, name })),
    replicaCounts: {
      desired: BigInt(counts.desired),
      updated: BigInt(counts.updated),
      ready: BigInt(counts.ready),
      pending: BigInt(counts.pending),
      degraded: BigInt(counts.degraded),
    },
    templateVersions: facts.templateVersions.map(String),
  });
};

const readyFinding = (phase: string, counts: ReplicaCounts, renderFailed: number): Finding => {
  const type = 'Ready';
  if (phase === 'Degraded')
    return { type, status: 'False', reason: 'Degraded', message: degradedText(counts, renderFailed) };
  if (phase === 'Pending') {
    const message = `${counts.pending} of ${counts.desired} namespaces ${isOrAre(counts.pending)} pending`;
    return { type, status: 'False', reason: 'Pending', message };
  }
  return { type, status: 'True', reason: 'Ready' };
};

/** What failed in how many of the selected namespaces. */
const degradedText = ({ degraded, desired }: ReplicaCounts, renderFailed: number): string => {
  const others = degraded - renderFailed;
  if (renderFailed === 0) return `${degraded} of ${desired} namespaces ${isOrAre(degraded)} degraded`;
  const text = `${renderFailed} of ${desired} namespaces failed to render`;
  return others > 0 ? `${text}, ${others} ${isOrAre(others)} degraded otherwise` : text;
};

const isOrAre = (count: number): string => (count === 1 ? 'is' : 'are');

const selectedFinding = (desired: number, most: number): Finding => {
  const type = 'Selected';
  if (desired === 0) return { type, status: 'False', reason: 'NoNamespaces', message: 'no namespace is selected' };
  if (desired <= most) return { type, status: 'True', reason: 'Selected' };
  const message = `${desired} namespaces are selected, above ${most} none gets a new replica`;
  return { type, status: 'False', reason: 'TooManyNamespaces', message };
};

const templatesFinding = (missing: readonly string[]): Finding => {
  const type = 'TemplatesResolved';
  if (missing.length === 0) return { type, status: 'True', reason: 'Resolved' };
  return { type, status: 'False', reason: 'TemplateMissing', message: missing.join(', ') };
};

const renderedFinding = (renderFailed: number, counts: ReplicaCounts): Finding => {
  const type = 'Rendered';
  if (renderFailed > 0) {
    const message = `${renderFailed} of ${counts.desired} namespaces failed to render`;
    return { type, status: 'False', reason: 'RenderFailed', message };
  }
  if (counts.updated < counts.desired) return { type, status: 'Unknown', reason: 'Pending' };
  return { type, status: 'True', reason: 'Rendered' };
};

/** Status of a deployment that no pass has seen yet. */
export const freshDeploymentStatus = (now: number): DeploymentStatus =>
  create(DeploymentStatusSchema, {
    phase: 'Pending',
    conditions: judgedConditions(
      [],
      { phase: 'Pending', findings: [{ type: 'Ready', status: 'False', reason: 'Pending' }] },
      { now, generation: 1 },
    ),
    replicaCounts: {},
  });

/** Status of a deployment that waits for its replicas to go. */
export const departing = (current: Pick<StoredResource, 'status'>): DeploymentStatus => {
  const status = deploymentStatus(current);
  return create(DeploymentStatusSchema, {
    observedGeneration: status.observedGeneration,
    phase: 'Terminating',
    conditions: status.conditions,
    replicas: status.replicas,
    ...(status.replicaCounts === undefined ? {} : { replicaCounts: status.replicaCounts }),
  });
};
