import { create } from '@bufbuild/protobuf';
import { type DeploymentStatus, DeploymentStatusSchema } from '@svc/api/resources';
import { type Finding, messageFromText, settleConditions } from '../../resources/index.ts';
import type { StoredResource } from '../../store/contracts/index.ts';

/** How a selected namespace stands: its replica as it was last judged. */
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

/** Counts over the selected namespaces; ready, pending and degraded add up to desired (PL-5). */
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
  /** Most namespaces that get a replica; who has one keeps it. */
  readonly replicasMax: number;
}

/** Status of a deployment by what its replicas say of themselves. */
export const judgeDeployment = (current: StoredResource, facts: DeploymentFacts, now: number): DeploymentStatus => {
  const counts = countReplicas(facts.standings);
  const phase = counts.degraded > 0 ? 'Degraded' : counts.pending > 0 ? 'Pending' : 'Ready';
  const findings: readonly Finding[] = [
    readyFinding(phase, counts),
    selectedFinding(counts.desired, facts.replicasMax),
    templatesFinding(facts.missingTemplates),
    renderedFinding(facts.standings, counts),
  ];
  const { generation, key } = current;
  return create(DeploymentStatusSchema, {
    observedGeneration: BigInt(generation),
    phase,
    conditions: settleConditions(deploymentStatus(current).conditions, findings, { now, generation }),
    replicas: facts.replicas.map((name) => ({ namespace: key.namespace, name })),
    replicaCounts: {
      desired: BigInt(counts.desired),
      updated: BigInt(counts.updated),
      ready: BigInt(counts.ready),
      pending: BigInt(counts.pending),
      degraded: BigInt(counts.degraded),
    },
  });
};

const readyFinding = (phase: string, { degraded, pending }: ReplicaCounts): Finding => {
  const type = 'Ready';
  if (phase === 'Degraded')
    return { type, status: 'False', reason: 'Degraded', message: `${degraded} replicas are degraded` };
  if (phase === 'Pending')
    return { type, status: 'False', reason: 'Pending', message: `${pending} replicas are pending` };
  return { type, status: 'True', reason: 'Ready' };
};

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

const renderedFinding = (standings: readonly ReplicaStanding[], counts: ReplicaCounts): Finding => {
  const type = 'Rendered';
  const failed = standings.filter(({ isRenderFailed }) => isRenderFailed).length;
  if (failed > 0) return { type, status: 'False', reason: 'RenderFailed', message: `${failed} replicas` };
  if (counts.updated < counts.desired) return { type, status: 'Unknown', reason: 'Pending' };
  return { type, status: 'True', reason: 'Rendered' };
};

/** Status of a deployment that no pass has seen yet. */
export const freshDeploymentStatus = (now: number): DeploymentStatus =>
  create(DeploymentStatusSchema, {
    phase: 'Pending',
    conditions: settleConditions([], [{ type: 'Ready', status: 'False', reason: 'Pending' }], { now, generation: 1 }),
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
