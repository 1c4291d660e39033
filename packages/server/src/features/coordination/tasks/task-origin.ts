import { isRecord } from '../../../base/index.ts';
import type { SystemKeys } from '../../../controllers/contract.ts';
import { recordKey } from '../../../resources/index.ts';
import type { TurnBody, TurnCause } from '../../../runtime/contract.ts';
import type { ResourceKey, StoredResource } from '../../../store/contracts/index.ts';

/**
 * Where a task comes from, which no field of its spec says: the session that asked for it and is woken, the turns that led to it, and
 * the connection that its delegate was reached over. Kept in a private annotation; tasks that people declare have none.
 */
export interface TaskOrigin {
  /** '' = no session asked for it. */
  readonly sessionId: string;
  readonly identity: string;
  /** Turns that led to the delegate's, the one that asked for the task last. */
  readonly lineage: TurnCause['lineage'];
  /** '' = the delegate is in the namespace of the task. */
  readonly connection: string;
}

const ORIGIN = 'svc/~task-origin';
/** Label of tasks: the session that asked for them. */
export const OWNER_SESSION = 'svc/owner-session';
/** Label of sessions and messages: the task that they belong to. */
export const TASK_LABEL = 'svc/task';
const TASK_NAMESPACE = 'svc/task-namespace';

const DECLARED: TaskOrigin = { sessionId: '', identity: '', lineage: [], connection: '' };

/** Origin of a stored task. */
export const originOf = ({ annotations }: Pick<StoredResource, 'annotations'>): TaskOrigin => {
  const text = annotations[ORIGIN];
  const kept: unknown = text === undefined ? undefined : JSON.parse(text);
  return isRecord(kept) ? { ...DECLARED, ...(kept as Partial<TaskOrigin>) } : DECLARED;
};

/** What keeps the origin with the task. */
export const originKeys = (origin: TaskOrigin): SystemKeys => ({
  labels: { [OWNER_SESSION]: origin.sessionId },
  annotations: { [ORIGIN]: JSON.stringify(origin) },
});

const WAKES = 'svc/~task-wakes';

/** How often the owner has had something to do or to know so far. */
export const wakesOf = ({ annotations }: Pick<StoredResource, 'annotations'>): number =>
  Number(annotations[WAKES] ?? 0);

/** What keeps that number with the task. */
export const wakeKeys = (wakes: number): SystemKeys => ({ annotations: { [WAKES]: String(wakes) } });

/** Why a turn that works on a task begins. */
export const taskCause = (key: ResourceKey, from: Pick<TurnCause, 'identity' | 'lineage'>): TurnCause => ({
  kind: 'task',
  labels: { [TASK_LABEL]: key.name, [TASK_NAMESPACE]: key.namespace },
  ...from,
});

/** The task that a turn was made for; undefined for all other turns. */
export const taskOfTurn = ({ cause }: Pick<TurnBody, 'cause'>): ResourceKey | undefined => {
  if (cause.kind !== 'task') return undefined;
  const { [TASK_LABEL]: name, [TASK_NAMESPACE]: namespace } = cause.labels;
  return name === undefined || namespace === undefined ? undefined : recordKey('Task', namespace, name);
};
