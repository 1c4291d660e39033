import { clone, create } from '@bufbuild/protobuf';
import {
  type DeploymentReplicaSpec,
  DeploymentReplicaSpecSchema,
  type DeploymentReplicaStatus,
  DeploymentReplicaStatusSchema,
} from '@svc/api/resources';
import {
  canonicalJson,
  type Finding,
  isJsonMap,
  type JsonData,
  judgedConditions,
  messageFromText,
  parseJsonMap,
  sortKeys,
} from '../../../resources/index.ts';
import type { StoredResource } from '../../../store/contracts/index.ts';
import type { ObjectRecord } from './rendering/index.ts';

/** Annotation of a replica: what it was rendered from, and which template each of its objects has; private. */
const RENDERING = 'svc/~rendering';

/** What a replica remembers about its last pass in addition to its status. */
export interface RenderingFacts {
  /** `renderingVersion` of deployment and templates; '' before the first whole pass. */
  readonly version: string;
  /** Template by object id. */
  readonly templates: Readonly<Record<string, string>>;
}

/** Typed spec of a stored replica. */
export const replicaSpec = (record: StoredResource): DeploymentReplicaSpec =>
  messageFromText(DeploymentReplicaSpecSchema, record.spec) as DeploymentReplicaSpec;

/** Typed status of a stored replica. */
export const replicaStatus = (record: Pick<StoredResource, 'status'>): DeploymentReplicaStatus =>
  messageFromText(DeploymentReplicaStatusSchema, record.status) as DeploymentReplicaStatus;

/** The little that counts, without reading the message as a whole: a deployment looks at thousands of them. */
export const replicaSummary = (
  record: Pick<StoredResource, 'status'>,
): { readonly phase: string; readonly isRenderFailed: boolean } => {
  const { phase, conditions } = parseJsonMap(record.status) ?? {};
  const list: readonly JsonData[] = Array.isArray(conditions) ? (conditions as readonly JsonData[]) : [];
  return {
    phase: typeof phase === 'string' ? phase : '',
    isRenderFailed: list.some((item) => isJsonMap(item) && item['type'] === 'Rendered' && item['status'] === 'False'),
  };
};

/** What the last whole pass over the replica rendered. */
export const renderingFacts = (record: Pick<StoredResource, 'annotations'>): RenderingFacts => {
  const facts = parseJsonMap(record.annotations[RENDERING] ?? '{}') ?? {};
  const { version, templates } = facts;
  return {
    version: typeof version === 'string' ? version : '',
    templates: isJsonMap(templates) ? (templates as Readonly<Record<string, string>>) : {},
  };
};

/** The same as annotations to be set. */
export const renderingAnnotation = (facts: RenderingFacts): Readonly<Record<string, string>> => ({
  [RENDERING]: canonicalJson({ version: facts.version, templates: facts.templates }),
});

/** Everything that the replica rendered and has not withdrawn, by object id. */
export const objectRecords = (status: DeploymentReplicaStatus): ReadonlyMap<string, ObjectRecord> => {
  const owned = Map.groupBy(status.ownedJsonPointers, (text) => text.slice(0, text.indexOf('#')));
  return new Map(
    Object.entries(status.lastRenderedJson).map(([id, base]) => [
      id,
      {
        base,
        hash: status.renderedHashes[id] ?? '',
        owned: (owned.get(id) ?? []).map((text) => text.slice(text.indexOf('#') + 1)),
      },
    ]),
  );
};

/** The status with one object recorded, or forgotten. */
export const withObject = (
  status: DeploymentReplicaStatus,
  target: string,
  change: { readonly id: string; readonly record: ObjectRecord | undefined },
): DeploymentReplicaStatus => {
  const { id, record } = change;
  const next = clone(DeploymentReplicaStatusSchema, status);
  const { [id]: _base, ...bases } = next.lastRenderedJson;
  const { [id]: _hash, ...hashes } = next.renderedHashes;
  next.lastRenderedJson = sortKeys({ ...bases, ...(record === undefined ? {} : { [id]: record.base }) });
  next.renderedHashes = sortKeys({ ...hashes, ...(record === undefined ? {} : { [id]: record.hash }) });
  next.ownedJsonPointers = [
    ...next.ownedJsonPointers.filter((text) => !text.startsWith(`${id}#`)),
    ...(record?.owned ?? []).map((pointer) => `${id}#${pointer}`),
  ].sort();
  next.renderedResources = Object.keys(next.lastRenderedJson).map((known) => `${target}/${known}`);
  return next;
};

/** What a pass found out about a replica as a whole. */
export interface ReplicaFindings {
  /** Texts of `conflicts`. */
  readonly conflicts: readonly string[];
  /** The first of each sort, for people; '' = none. */
  readonly renderFailure: string;
  readonly conflict: string;
  /** Objects that say of themselves that they are not ready. */
  readonly notReady: readonly string[];
  /** Objects that cannot be written yet because they are being deleted. */
  readonly waiting: readonly string[];
}

/** The status after a whole pass: Degraded when something is wrong, Pending while something is waited for, else Ready. */
export const judgeReplica = (
  status: DeploymentReplicaStatus,
  findings: ReplicaFindings,
  at: { readonly now: number; readonly generation: number },
): DeploymentReplicaStatus => {
  const { conflicts, renderFailure, conflict, notReady, waiting } = findings;
  const isDegraded = conflicts.length > 0 || notReady.length > 0;
  const phase = isDegraded ? 'Degraded' : waiting.length > 0 ? 'Pending' : 'Ready';
  const { renderedResources, renderedHashes, lastRenderedJson, ownedJsonPointers } = status;
  return create(DeploymentReplicaStatusSchema, {
    renderedResources,
    renderedHashes,
    lastRenderedJson,
    ownedJsonPointers,
    observedGeneration: BigInt(at.generation),
    phase,
    conflicts: [...conflicts].sort(),
    conditions: judgedConditions(
      status.conditions,
      {
        phase,
        findings: [
          readyFinding(findings),
          renderFailure === ''
            ? { type: 'Rendered', status: 'True', reason: 'Rendered' }
            : { type: 'Rendered', status: 'False', reason: 'RenderFailed', message: renderFailure },
          conflict === ''
            ? { type: 'NoConflicts', status: 'True', reason: 'NoConflicts' }
            : { type: 'NoConflicts', status: 'False', reason: 'Conflicts', message: conflict },
        ],
      },
      at,
    ),
  });
};

const readyFinding = ({ renderFailure, conflict, notReady, waiting }: ReplicaFindings): Finding => {
  const type = 'Ready';
  if (renderFailure !== '') return { type, status: 'False', reason: 'RenderFailed', message: renderFailure };
  if (conflict !== '') return { type, status: 'False', reason: 'Conflicts', message: conflict };
  if (notReady.length > 0) return { type, status: 'False', reason: 'ObjectsNotReady', message: notReady.join(', ') };
  if (waiting.length > 0) return { type, status: 'False', reason: 'ObjectsDeleting', message: waiting.join(', ') };
  return { type, status: 'True', reason: 'Ready' };
};

/** Status of a replica that no pass has seen yet. */
export const freshReplicaStatus = (now: number): DeploymentReplicaStatus =>
  create(DeploymentReplicaStatusSchema, {
    phase: 'Pending',
    conditions: judgedConditions(
      [],
      { phase: 'Pending', findings: [{ type: 'Ready', status: 'False', reason: 'Pending' }] },
      { now, generation: 1 },
    ),
  });
