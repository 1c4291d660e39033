import { fromJson, type JsonValue, type Message } from '@bufbuild/protobuf';
import type { DesiredResource } from '../../../controllers/contract.ts';
import { formatKey, givenValues, isJsonMap, openRecord, unseenAnnotation } from '../../../resources/index.ts';
import { managedParts, ownershipText, saveOwnership } from '../../../resources/merge/index.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { refusalOf } from './concurrent-change.ts';
import { deploymentKeyOf } from './deployment-reads.ts';
import { CREATED_BY, DEPLOYMENT_LABEL, REPLICA_ANNOTATION } from './deployment-rules.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import type { RenderedObject } from './rendering/index.ts';
import {
  fieldProblem,
  liveForm,
  mergeObject,
  type ObjectMerge,
  type ObjectProblem,
  refusedWrite,
} from './rendering/index.ts';
import { type LiveObject, readObject } from './replica-plan.ts';
import type { ReplicaSession } from './replica-session.ts';

/** What became of one object. */
export interface ObjectOutcome {
  /** As it is stored now; undefined when it could not be made. */
  readonly stored: StoredResource | undefined;
  readonly problems: readonly ObjectProblem[];
  /** It is being deleted and can be made again afterwards. */
  readonly isWaiting: boolean;
  /** The write was refused, for reasons that may go away by themselves. */
  readonly isRefused: boolean;
}

interface Found extends LiveObject {
  readonly merge: ObjectMerge;
}

/**
 * Brings one object to what its template says: merged, and written with ownership, base and hash in one
 * transaction. Nothing is written when nothing differs.
 */
export const applyObject = async (
  deps: DeploymentsDeps,
  session: ReplicaSession,
  object: RenderedObject,
): Promise<ObjectOutcome> => {
  const found = await deps.store.read((tx) => readObject(deps, tx, object.key));
  const outcome = { stored: found.live, problems: [], isWaiting: false, isRefused: false };
  if (found.live?.deletionTimestamp !== undefined) return { ...outcome, isWaiting: true };
  const { manager, target: namespace } = session;
  const subject = { id: object.id, kind: object.row.kind, namespace, manager, record: session.record(object.id) };
  const { defaults, isUnseen } = object;
  const merge = mergeObject({ ...subject, ...found, defaults, isUnseen }, object.form, deps.hash);
  const problems = merge.result.conflicts.map((conflict) => fieldProblem(object, conflict));
  if (isSettled(session, object, { ...found, merge })) return { ...outcome, problems };
  try {
    const stored = await session.write((tx) => store(deps, tx, { session, object, found: { ...found, merge } }), {
      key: object.key,
      ...found,
    });
    return { ...outcome, stored, problems };
  } catch (error) {
    return { ...outcome, problems: refusedWrite(object, refusalOf(error)), isRefused: true };
  }
};

const isSettled = (session: ReplicaSession, { id }: RenderedObject, found: Found): boolean => {
  const { live, merge, ownership } = found;
  if (live === undefined || merge.isChanged || !isMarked(session, live)) return false;
  const after = merge.ownershipAfter({ uid: live.uid, form: liveForm(live) });
  return (
    ownershipText(after) === ownershipText(ownership) &&
    JSON.stringify(session.record(id)) === JSON.stringify(merge.record)
  );
};

/** Marks what a rendering writes, not what it meets, where that may be a guess. */
const unseenMark = ({ object, found: { live, merge } }: ObjectWrite): Readonly<Record<string, string | undefined>> => {
  const { row, form, isUnseen } = object;
  if (!isUnseen || !isJsonMap(form['spec'])) return {};
  const owned = merge.record.owned;
  const isOwned = (value: string): boolean => owned.some((each) => `/spec${value}/`.startsWith(`${each}/`));
  return unseenAnnotation([...givenValues({ kind: row.kind }, form['spec'])].filter(isOwned), live?.annotations);
};

const markers = (session: ReplicaSession) => ({
  labels: { [DEPLOYMENT_LABEL]: deploymentKeyOf(session.replica).name },
  annotations: { [REPLICA_ANNOTATION]: session.marker },
});

const isMarked = (session: ReplicaSession, live: StoredResource): boolean => {
  const { labels } = markers(session);
  if (!session.mayMark(live)) return true;
  return (
    live.labels[DEPLOYMENT_LABEL] === labels[DEPLOYMENT_LABEL] &&
    live.annotations[REPLICA_ANNOTATION] === session.marker
  );
};

const store = async (
  deps: DeploymentsDeps,
  tx: WriteTx,
  write: { readonly session: ReplicaSession; readonly object: RenderedObject; readonly found: Found },
): Promise<StoredResource> => {
  const { session, object, found } = write;
  const { live, merge, ownership } = found;
  const stored = live === undefined ? await insert(deps, tx, write) : await replace(deps, tx, { ...write, live });
  // The next pass finds the object with readable values: what is owned of them is recognised by the same digests.
  const form = liveForm(openRecord(stored, deps.seal));
  const after = merge.ownershipAfter({ uid: stored.uid, form });
  await saveOwnership(tx, stored.uid, { before: ownership, after });
  await session.keep(tx, object.id, merge.record);
  if (live !== undefined && merge.result.repaired.length > 0) await tellRepair(deps, tx, { ...write, stored });
  return stored;
};

type ObjectWrite = Parameters<typeof store>[2];

const insert = async (deps: DeploymentsDeps, tx: WriteTx, write: ObjectWrite): Promise<StoredResource> => {
  const { session, object } = write;
  const { labels, annotations } = markers(session);
  const own = { ...annotations, [CREATED_BY]: session.manager };
  const system = { labels, annotations: { ...own, ...unseenMark(write) } };
  const input = { key: object.key, ...desired(object, object.form), system };
  return (await deps.writer.create(tx, session.origin, input)).resource;
};

const replace = async (
  deps: DeploymentsDeps,
  tx: WriteTx,
  write: ObjectWrite & { readonly live: StoredResource },
): Promise<StoredResource> => {
  const { session, object, live } = write;
  const { merge } = write.found;
  if (!merge.isChanged && isMarked(session, live)) return live;
  const { labels, annotations } = session.mayMark(live) ? markers(session) : {};
  const system = { labels: { ...labels }, annotations: { ...annotations, ...unseenMark(write) } };
  const change = (): DesiredResource => ({ ...desired(object, merge.result.merged), system });
  const resourceVersion = String(live.version);
  return (await deps.writer.modify(tx, session.origin, { key: object.key, resourceVersion, change })).resource;
};

/** A form as the write pipeline takes it. */
export const desired = (
  { row }: Pick<RenderedObject, 'row'>,
  form: Parameters<typeof managedParts>[0],
): { readonly spec: Message } & Pick<DesiredResource, 'labels' | 'annotations'> => {
  const { labels, annotations, spec } = managedParts(form);
  return { spec: fromJson(row.spec, spec as JsonValue, { ignoreUnknownFields: true }), labels, annotations };
};

/** Somebody had changed what the deployment owns; the audit log and the program's log say that it was set back. */
const tellRepair = async (
  deps: DeploymentsDeps,
  tx: WriteTx,
  { session, object, found, stored }: ObjectWrite & { readonly stored: StoredResource },
): Promise<void> => {
  const target = formatKey(object.key);
  const { namespace } = object.key;
  const fact = { target, namespace, resourceVersion: String(stored.version), outcome: 'repaired' };
  await deps.audit(tx, session.origin, fact);
  const fields = { deployment: session.manager, target, fields: found.merge.result.repaired.join(' ') };
  tx.afterCommit(() => deps.log.info('a deployment set an object back', fields));
};
