import { TaskPhase } from '@svc/api/resources';
import { isFault } from '../../../base/index.ts';
import type { QueueWorker, ReconcileOutcome, WorkItem } from '../../../controllers/contract.ts';
import { oncePerCall } from '../../../idempotency/index.ts';
import { type Admission, type CallWakes, PART, type TurnCause } from '../../../runtime/contract.ts';
import type { SessionRow, Store, StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { TASK_LABEL, type TaskOrigin, taskCause, wakesOf } from './task-origin.ts';
import { taskSpec, taskStatus } from './task-status.ts';

/** Queue item that informs the session which asked for a task of a move; key = uid and number of the move. */
const TASK_WAKE = 'task.wake';

/** The key under which a call waits for the next move of a task that concerns its owner. */
export const taskWaitKey = (uid: string): string => `task:${uid}`;

/** An owner that cannot take a message now is asked again after this time. */
const AGAIN_MS = 60_000;

interface OwnerNews {
  readonly key: StoredResource['key'];
  readonly uid: string;
  readonly sessionId: string;
  readonly text: string;
  readonly cause: Pick<TurnCause, 'identity' | 'lineage'>;
}

/** Queues the message to the owner in the transaction of the move; where no session asked for the task there is none. */
export const queueOwnerWake = async (tx: WriteTx, stored: StoredResource, origin: TaskOrigin): Promise<void> => {
  const { sessionId, identity, lineage } = origin;
  if (sessionId === '') return;
  const news: OwnerNews = {
    key: stored.key,
    uid: stored.uid,
    sessionId,
    text: newsText(stored),
    // The owner's turn continues what it did: it is as deep as the turn that asked for the task.
    cause: { identity, lineage: lineage.slice(0, -1) },
  };
  const item = { kind: TASK_WAKE, key: wakeName(stored), dueAt: tx.steadyNow(), attempts: 0 };
  await tx.queue.put({ ...item, payload: JSON.stringify(news) });
};

const wakeName = (stored: StoredResource): string => `${stored.uid}/${wakesOf(stored)}`;

const onceKey = (name: string): string => `${TASK_WAKE}/${name}`;

/** The owner has seen the newest move by itself: no message about it is sent any more. */
export const noteSeen = async (tx: WriteTx, stored: StoredResource): Promise<void> => {
  await oncePerCall(tx, onceKey(wakeName(stored)), () => Promise.resolve('seen'));
};

const newsText = (stored: StoredResource): string => {
  const { phase, progressSummary } = taskStatus(stored);
  const { title } = taskSpec(stored);
  const name = title === '' ? stored.key.name : `${stored.key.name} (${title})`;
  return [`Task ${name} is now ${TaskPhase[phase]}.`, progressSummary, ADVICE[phase] ?? '']
    .filter(Boolean)
    .join('\n\n');
};

const ADVICE: Partial<Record<TaskPhase, string>> = {
  [TaskPhase.NEEDS_REVIEW]:
    'Review it and call update_task: SUCCEEDED or FAILED ends it, RUNNING with a progress_summary sends that as further work.',
};

interface OwnerWakeDeps {
  readonly store: Pick<Store, 'write'>;
  readonly wakes: CallWakes;
  readonly admission: Admission;
}

/** Wakes owners: a call that waits for the task resumes, else the owner's session gets one message. */
export class OwnerWake implements QueueWorker {
  readonly kinds = [TASK_WAKE];
  readonly #deps: OwnerWakeDeps;

  constructor(deps: OwnerWakeDeps) {
    this.#deps = deps;
  }

  async run(item: WorkItem): Promise<ReconcileOutcome> {
    const news = JSON.parse(item.payload) as OwnerNews;
    try {
      // The item may run again although its transaction is durable.
      await this.#deps.store.write((tx) => oncePerCall(tx, onceKey(item.key), () => this.#tell(tx, news)));
      return { done: true };
    } catch (error) {
      if (!isFault(error) || error.code === 'UNAVAILABLE' || error.code === 'INTERNAL') throw error;
      return error.code === 'NOT_FOUND' ? { done: true } : { againMs: AGAIN_MS };
    }
  }

  async #tell(tx: WriteTx, news: OwnerNews): Promise<'gone' | 'woken' | 'sent'> {
    const { wakes, admission } = this.#deps;
    const session = await tx.log.session(news.sessionId);
    if (session === undefined) return 'gone';
    const { activeTurnId } = session;
    if (activeTurnId !== '' && (await wakes.wake(tx, activeTurnId, taskWaitKey(news.uid)))) return 'woken';
    await admission.admit(tx, messageTo(session, news, tx.now()));
    return 'sent';
  }
}

const messageTo = (session: SessionRow, { key, text, cause }: OwnerNews, now: number) => ({
  namespace: session.namespace,
  agent: session.agent,
  sessionId: session.id,
  parts: [{ id: '', type: PART.TEXT, content: text, createdAt: now }],
  labels: { [TASK_LABEL]: key.name, 'svc/task-role': 'owner-review' },
  whenBusy: 'QUEUE' as const,
  cause: taskCause(key, cause),
});
