import { isJsonMap, type JsonMap, kindRow, parseJsonMap, type RecordKey } from '../../../resources/index.ts';
import { type Ownership, saveOwnership } from '../../../resources/merge/index.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { refusalOf } from './concurrent-change.ts';
import { CREATED_BY, DEPLOYMENT_LABEL, KEEP, REPLICA_ANNOTATION } from './deployment-rules.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { desired } from './object-writing.ts';
import { hasOtherOwner, liveForm, mergeObject, type ObjectMerge, otherDeployment } from './rendering/index.ts';
import { type LiveObject, objectOf, readObject } from './replica-plan.ts';
import type { ReplicaSession } from './replica-session.ts';

/**
 * What a withdrawal does to an object: `delete` it, `clear` the deployment's unedited fields, or only `leave` it, no
 * longer managed.
 */
type Action = 'delete' | 'clear' | 'leave';

interface Withdrawal {
  readonly id: string;
  readonly key: RecordKey;
  readonly live: StoredResource;
  readonly ownership: Ownership;
  readonly merge: ObjectMerge;
}

/** Withdraws the deployment from one object, in one transaction with the record of it. */
export const withdrawObject = async (
  deps: DeploymentsDeps,
  session: ReplicaSession,
  { id, release }: { readonly id: string; readonly release: boolean },
): Promise<void> => {
  const key = objectOf(session.replica, id);
  const found = key === undefined ? undefined : await deps.store.read((tx) => readObject(deps, tx, key));
  if (key === undefined || found?.live === undefined) {
    await session.write((tx) => session.keep(tx, id, undefined).then(() => undefined));
    return;
  }
  const { live, ownership } = found;
  const withdrawal = { id, key, live, ownership, merge: mergeAway(deps, session, { id, key, found }) };
  const action = release ? 'leave' : actionFor(session, withdrawal);
  try {
    await carryOut(deps, session, { withdrawal, action });
  } catch (error) {
    // An object that is not valid without those fields keeps them, and so does one in a closed namespace.
    if (action !== 'clear') throw error;
    if (!isClosed(error)) refusalOf(error);
    await carryOut(deps, session, { withdrawal, action: 'leave' });
  }
};

const isClosed = (error: unknown): boolean => (error as { readonly reason?: string }).reason === 'NAMESPACE_DELETED';

const mergeAway = (
  deps: DeploymentsDeps,
  session: ReplicaSession,
  of: { readonly id: string; readonly key: RecordKey; readonly found: LiveObject },
): ObjectMerge => {
  const { id, key, found } = of;
  const { manager, target: namespace } = session;
  const subject = { id, kind: key.kind, namespace, manager, record: session.record(id), ...found };
  return mergeObject(subject, {}, deps.hash);
};

const actionFor = (session: ReplicaSession, withdrawal: Withdrawal): Action => {
  const { id, live, ownership } = withdrawal;
  if (live.deletionTimestamp !== undefined) return 'leave';
  if (live.annotations[KEEP] === 'true' || baseAnnotations(session, id)[KEEP] === 'true') return 'leave';
  const isOwn = live.annotations[CREATED_BY] === session.manager;
  return isOwn && !hasOtherOwner(ownership, session.manager) ? 'delete' : 'clear';
};

const baseAnnotations = (session: ReplicaSession, id: string): JsonMap => {
  const metadata = parseJsonMap(session.record(id)?.base ?? '{}')?.['metadata'];
  const annotations = isJsonMap(metadata) ? metadata['annotations'] : undefined;
  return isJsonMap(annotations) ? annotations : {};
};

const carryOut = async (
  deps: DeploymentsDeps,
  session: ReplicaSession,
  { withdrawal, action }: { readonly withdrawal: Withdrawal; readonly action: Action },
): Promise<void> => {
  const { id, key, live, ownership } = withdrawal;
  await session.write(
    async (tx) => {
      const after = await changeObject(deps, tx, { session, withdrawal, action });
      await saveOwnership(tx, live.uid, { before: ownership, after });
      await session.keep(tx, id, undefined);
      return undefined;
    },
    { key, live, ownership },
  );
};

/** Changes the object as decided; answers who owns what of it from now on. */
const changeObject = async (
  deps: DeploymentsDeps,
  tx: WriteTx,
  of: { readonly session: ReplicaSession; readonly withdrawal: Withdrawal; readonly action: Action },
): Promise<Ownership> => {
  const { session, withdrawal, action } = of;
  const { key, live, ownership, merge } = withdrawal;
  const system = unmarked(session, live, ownership);
  if (action === 'delete') {
    await deps.writer.remove(tx, session.origin, { key, bySystem: true });
    return {};
  }
  if (action === 'clear') {
    const resourceVersion = String(live.version);
    const form = desired({ row: kindRow(key.kind) }, merge.result.merged);
    await deps.writer.modify(tx, session.origin, { key, resourceVersion, change: () => ({ ...form, system }) });
  } else await deps.writer.writeStatus(tx, key, () => ({ system }));
  return merge.ownershipAfter({ uid: live.uid, form: liveForm(live) });
};

/**
 * The object without the marks of this replica. Where the deployment had made it, the next deployment that owns a field of it
 * takes its place, so that the last of them deletes it.
 */
const unmarked = (session: ReplicaSession, live: StoredResource, ownership: Ownership) => {
  const isMarked = live.annotations[REPLICA_ANNOTATION] === session.marker;
  const heir = otherDeployment(ownership, session.manager);
  const isOwn = live.annotations[CREATED_BY] === session.manager;
  return {
    labels: isMarked ? { [DEPLOYMENT_LABEL]: undefined } : {},
    annotations: {
      ...(isMarked ? { [REPLICA_ANNOTATION]: undefined } : {}),
      ...(isOwn ? { [CREATED_BY]: heir } : {}),
    },
  };
};
