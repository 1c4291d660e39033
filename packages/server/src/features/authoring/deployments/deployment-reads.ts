import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DeploymentSpec, DeploymentSpecSchema, type TemplateSpec, TemplateSpecSchema } from '@svc/api/resources';
import {
  holdsUnseenValues,
  messageFromText,
  openRecord,
  parseJsonMap,
  recordKey,
  type SealedPart,
  SYSTEM_NAMESPACE,
  unopenedValues,
  type ValueSeal,
  withoutPrivate,
} from '../../../resources/index.ts';
import {
  type ReadTx,
  type ResourceKey,
  type ResourceReads,
  type ResourceSelection,
  resourcePages,
  type StoredResource,
} from '../../../store/contracts/index.ts';
import { DEPLOYMENT_LABEL, selectorParent, TARGET_LABEL, type TargetNamespace } from './deployment-rules.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import type { RenderedTemplate } from './rendering/index.ts';
import { replicaSpec } from './replica-record.ts';

type Reads = Pick<ReadTx, 'resources'>;

/** Typed spec of a stored deployment. */
export const deploymentSpec = (record: Pick<StoredResource, 'spec'>): DeploymentSpec =>
  messageFromText(DeploymentSpecSchema, record.spec) as DeploymentSpec;

/** The templates of a deployment in its order: own namespace, ancestors, `system`; undefined where none is. */
export const findTemplates = async (
  deps: Pick<DeploymentsDeps, 'namespaces'>,
  reads: Reads,
  deployment: StoredResource,
): Promise<readonly (StoredResource | undefined)[]> => {
  const { namespace } = deployment.key;
  const ancestors = await deps.namespaces.ancestors(reads, namespace);
  const places = [...new Set([namespace, ...ancestors, SYSTEM_NAMESPACE])];
  const found: (StoredResource | undefined)[] = [];
  for (const name of deploymentSpec(deployment).templates) {
    let template: StoredResource | undefined;
    for (const place of places) template ??= await reads.resources.get(recordKey('Template', place, name));
    found.push(template);
  }
  return found;
};

/** A template as it is rendered: with readable values. */
export const openTemplate = (
  record: StoredResource,
  target: Pick<TargetNamespace, 'name'>,
  seal: Pick<ValueSeal, 'open'>,
): RenderedTemplate => ({
  name: record.key.name,
  labels: withoutPrivate(record.labels),
  annotations: withoutPrivate(record.annotations),
  isSeen: !holdsUnseenValues(record.annotations) && isAbove(record.key.namespace, target.name),
  isReadable: unopenedValues(templatePart(record), parseJsonMap(record.spec) ?? {}, seal).length === 0,
  spec: messageFromText(TemplateSpecSchema, openRecord(record, seal).spec) as TemplateSpec,
});

/** Who may read values in the one namespace may read them in the other. */
const isAbove = (namespace: string, target: string): boolean =>
  namespace === SYSTEM_NAMESPACE || target === namespace || target.startsWith(`${namespace}:`);

const templatePart = ({ uid }: StoredResource): SealedPart => ({ kind: 'Template', section: 'spec', uid });

/** True when the record is the deployment that the replica was made for, and not another one of its name. */
export const ownsReplica = (deployment: StoredResource, replica: StoredResource): boolean =>
  replica.owners.some((owner) => owner.uid === deployment.uid);

/** The key of the deployment that a replica belongs to. */
export const deploymentKeyOf = (replica: StoredResource): ResourceKey => {
  const { namespace = '', name = '' } = replicaSpec(replica).deploymentRef ?? {};
  return recordKey('Deployment', namespace, name);
};

/** Calls `take` with every resource of a kind that the query finds, a page at a time; others run between two pages. */
const eachRecord = async (
  reads: ResourceReads,
  query: ResourceSelection,
  take: (record: StoredResource) => void,
): Promise<void> => {
  for await (const page of resourcePages(reads, query)) {
    for (const record of page) take(record);
    await nextTurn();
  }
};

/** Every replica with the label of that deployment. */
export const eachReplica = (
  reads: ResourceReads,
  deployment: Pick<ResourceKey, 'namespace' | 'name'>,
  take: (replica: StoredResource) => void,
): Promise<void> => {
  const { namespace, name } = deployment;
  const labels = [{ op: 'in', key: DEPLOYMENT_LABEL, values: [name] }] as const;
  return eachRecord(reads, { kind: 'DeploymentReplica', scope: { type: 'namespace', namespace }, labels }, take);
};

/** Every replica that renders into the namespace, wherever it lives. */
export const eachReplicaFor = (
  reads: ResourceReads,
  target: string,
  take: (replica: StoredResource) => void,
): Promise<void> => {
  const labels = [{ op: 'in', key: TARGET_LABEL, values: [target] }] as const;
  return eachRecord(reads, { kind: 'DeploymentReplica', scope: { type: 'all' }, labels }, take);
};

/** Every replica that lives in the namespace. */
export const eachReplicaIn = (
  reads: ResourceReads,
  namespace: string,
  take: (replica: StoredResource) => void,
): Promise<void> => eachRecord(reads, { kind: 'DeploymentReplica', scope: { type: 'namespace', namespace } }, take);

/** Keys of the deployments for which `isMeant` holds. */
export const deploymentsWhere = async (
  reads: ResourceReads,
  isMeant: (deployment: StoredResource) => boolean,
): Promise<readonly ResourceKey[]> => {
  const found: ResourceKey[] = [];
  await eachRecord(reads, { kind: 'Deployment', scope: { type: 'all' } }, (record) => {
    if (isMeant(record)) found.push(record.key);
  });
  return found;
};

/** Deployments whose templates include that name, from whichever namespace. */
export const usesTemplate =
  (name: string) =>
  (deployment: StoredResource): boolean =>
    deploymentSpec(deployment).templates.includes(name);

/** Deployments that select among the children of that parent, or live in the namespace itself. */
export const looksAt =
  (namespace: { readonly name: string; readonly parent: string }) =>
  (deployment: StoredResource): boolean =>
    deployment.key.namespace === namespace.name ||
    selectorParent(deployment.key.namespace, deploymentSpec(deployment)) === namespace.parent;
