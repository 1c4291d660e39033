import type { ReconcileOutcome } from '../../../controllers/contract.ts';
import { isJsonMap, type JsonData, kindRow, messageText, parseJsonMap } from '../../../resources/index.ts';
import type { ResourceKey, StoredResource } from '../../../store/contracts/index.ts';
import { ConcurrentChange } from './concurrent-change.ts';
import type { DeploymentsDeps } from './deployments-deps.ts';
import { withdrawObject } from './object-withdrawal.ts';
import { applyObject } from './object-writing.ts';
import { type ObjectProblem, problemText } from './rendering/index.ts';
import { inOrderOfDeletion, planReplica, type RenderPlan } from './replica-plan.ts';
import { judgeReplica, objectRecords, type ReplicaFindings, renderingAnnotation } from './replica-record.ts';
import { ReplicaSession } from './replica-session.ts';

/** Finalizer of a replica until everything it rendered is withdrawn. */
export const REPLICA_FINALIZER = 'svc/replica';

/** How often a pass reads again after a concurrent change before it waits. */
const REREADS = 5;
/** Refused writes and objects that are going are tried again this often. */
const RETRY_MS = 30_000;
/** Reasons of conflicts about a field, as against failures to render or write. */
const FIELD_REASONS: readonly string[] = ['OwnedBy:', 'ExistingValue'];

/**
 * One pass over a replica: read, render, merge, write, withdraw what is gone, report. Throws ConcurrentChange when others kept
 * writing: again, with backoff.
 */
export const passOverReplica = async (deps: DeploymentsDeps, key: ResourceKey): Promise<ReconcileOutcome> => {
  for (let reread = 0; ; reread++) {
    try {
      return await pass(deps, key);
    } catch (error) {
      if (!(error instanceof ConcurrentChange) || reread === REREADS) throw error;
    }
  }
};

const pass = async (deps: DeploymentsDeps, key: ResourceKey): Promise<ReconcileOutcome> => {
  const plan = await deps.store.read((tx) => planReplica(deps, tx, key));
  if (plan.kind === 'idle') return { done: true };
  const session = new ReplicaSession(deps, plan.replica);
  if (plan.kind === 'render') return render(deps, session, plan);
  if (plan.kind === 'withdraw') return withdraw(deps, session, plan.release);
  await session.write(async (tx) => (await deps.writer.remove(tx, session.origin, { key, bySystem: true })).resource);
  return { againMs: 0 };
};

/** Nothing of the replica is left when this ends; the record goes with its finalizer. */
const withdraw = async (
  deps: DeploymentsDeps,
  session: ReplicaSession,
  release: boolean,
): Promise<ReconcileOutcome> => {
  const { key, finalizers } = session.replica;
  if (!finalizers.includes(REPLICA_FINALIZER)) return { done: true };
  for (const id of inOrderOfDeletion([...objectRecords(session.status).keys()]))
    await withdrawObject(deps, session, { id, release });
  await session.write((tx) =>
    deps.writer.writeStatus(tx, key, (current) => ({
      finalizers: current.finalizers.filter((name) => name !== REPLICA_FINALIZER),
    })),
  );
  return { done: true };
};

const render = async (deps: DeploymentsDeps, session: ReplicaSession, plan: RenderPlan): Promise<ReconcileOutcome> => {
  const problems: ObjectProblem[] = [...plan.problems];
  const notReady: string[] = [];
  const waiting: string[] = [];
  let isRefused = false;
  for (const object of plan.objects) {
    const outcome = await applyObject(deps, session, object);
    problems.push(...outcome.problems);
    isRefused ||= outcome.isRefused;
    if (outcome.isWaiting) waiting.push(object.id);
    else if (outcome.stored !== undefined && isNotReady(outcome.stored)) notReady.push(object.id);
  }
  for (const id of plan.withdrawn) await withdrawObject(deps, session, { id, release: false });
  await settle(deps, session, { plan, findings: findingsOf(problems, { notReady, waiting }) });
  return isRefused || waiting.length > 0 ? { againMs: RETRY_MS } : { done: true };
};

const findingsOf = (
  problems: readonly ObjectProblem[],
  objects: Pick<ReplicaFindings, 'notReady' | 'waiting'>,
): ReplicaFindings => {
  const isField = ({ reason }: ObjectProblem): boolean => FIELD_REASONS.some((start) => reason.startsWith(start));
  const first = (found: ObjectProblem | undefined): string =>
    found === undefined ? '' : `${found.id} ${found.pointer} ${found.reason}: ${found.message}`;
  return {
    ...objects,
    conflicts: [...new Set(problems.map(problemText))],
    renderFailure: first(problems.find((problem) => !isField(problem))),
    conflict: first(problems.find(isField)),
  };
};

/** Step 6: the status of the replica, when it differs. */
const settle = async (
  deps: DeploymentsDeps,
  session: ReplicaSession,
  { plan, findings }: { readonly plan: RenderPlan; readonly findings: ReplicaFindings },
): Promise<void> => {
  const { replica } = session;
  const annotations = renderingAnnotation({ version: plan.version, templates: plan.templates });
  const judged = (now: number) => judgeReplica(session.status, findings, { now, generation: replica.generation });
  const isSame =
    messageText(kindRow('DeploymentReplica').status, judged(deps.store.now())) === replica.status &&
    Object.entries(annotations).every(([name, value]) => replica.annotations[name] === value);
  if (isSame) return;
  await session.write((tx) =>
    deps.writer.writeStatus(tx, replica.key, () => ({ status: judged(tx.now()), system: { annotations } })),
  );
};

/** True when the object's own conditions say that it is not ready. */
const isNotReady = ({ status }: StoredResource): boolean => {
  const conditions: JsonData = parseJsonMap(status)?.['conditions'] ?? [];
  if (!Array.isArray(conditions)) return false;
  return conditions.some(
    (condition: JsonData) => isJsonMap(condition) && condition['type'] === 'Ready' && condition['status'] === 'False',
  );
};
