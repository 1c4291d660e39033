import { BackgroundWork, type Clock, type Log } from '../../../../base/index.ts';
import { DONE, type QueueWorker, type ReconcileOutcome, type WorkItem } from '../../../../controllers/contract.ts';
import { type McpConnection, McpFailure, type McpTaskState } from '../../../../protocols/mcp/contract.ts';
import { type CallWakes, isTurnOver } from '../../../../runtime/contract.ts';
import type { Store, WriteTx } from '../../../../store/contracts/index.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { ServerLookup } from './server-lookup.ts';
import type { ServerSlot } from './server-slot.ts';
import { parsePoll, questionKey, type TaskPoll, taskKey } from './task-wait-rules.ts';
import type { WantedServer } from './wanted-server.ts';

/** Kind of the queue items that check the tasks of servers; key = `<turn>/<call>`. */
const POLL = 'mcp-task';
/** Checks of one process at a time; the others wait a second. */
const CHECKS_MAX = 64;
const BUSY_MS = 1_000;
/** Time of one check, connection included. */
const CHECK_MS = 30_000;
/** How often the cancellation of a task is sent again, until the server has taken it. */
const CANCEL_AGAIN_MS = 30_000;

/** Has the task checked after its interval, by any process; what was queued for the call before is replaced. */
export const queuePoll = (tx: Pick<WriteTx, 'queue' | 'steadyNow'>, callId: string, poll: TaskPoll): Promise<void> => {
  const item = { kind: POLL, key: `${poll.turnId}/${callId}`, attempts: 0, payload: JSON.stringify(poll) };
  return tx.queue.put({ ...item, dueAt: tx.steadyNow() + poll.intervalMs * 1_000 }, { replace: true });
};

export interface TaskPollsDeps {
  readonly store: Pick<Store, 'write' | 'direct'>;
  readonly lookup: Pick<ServerLookup, 'find'>;
  readonly pool: Pick<ConnectionPool, 'slot'>;
  readonly wakes: CallWakes;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Checks the tasks that calls wait for, and wakes a call when its task ended or asks something new. The queue item is what
 * survives a crash: it comes back after each interval until a check has ended the wait. The queue awaits no check, because a
 * slow server would hold it up. A task whose turn is over is cancelled at its server.
 */
export class TaskPolls implements QueueWorker {
  readonly kinds = [POLL];
  readonly #deps: TaskPollsDeps;
  readonly #checks: BackgroundWork;

  constructor(deps: TaskPollsDeps) {
    this.#deps = deps;
    this.#checks = new BackgroundWork({
      max: CHECKS_MAX,
      failed: (error) => deps.log.warn('check of an MCP task failed', { reason: String(error) }),
    });
  }

  async run({ key, payload }: WorkItem): Promise<ReconcileOutcome> {
    const { store, clock } = this.#deps;
    const poll = parsePoll(payload);
    const turn = await store.direct.log.turn(poll.turnId);
    const isOver = turn === undefined || isTurnOver(turn);
    const isLate = clock.nowMicros() >= poll.untilMicros;
    // The call itself ends at that time, and cancels the task.
    if (isLate) return DONE;
    const work = ({ signal }: AbortController) =>
      isOver ? this.#cancel(key, poll, signal) : this.#check(key, poll, signal);
    if (!this.#checks.start(key, work)) return { againMs: BUSY_MS };
    return { againMs: isOver ? CANCEL_AGAIN_MS : poll.intervalMs };
  }

  /** Resolves once no check is under way. */
  settled(): Promise<void> {
    return this.#checks.settled();
  }

  /** Ends all checks; what is queued stays. */
  close(): Promise<void> {
    return this.#checks.close();
  }

  async #check(key: string, poll: TaskPoll, ends: AbortSignal): Promise<void> {
    const state = await this.#ask(poll, ends, (connection, signal) => connection.task(poll.taskId, signal));
    if (state === 'later' || (state !== 'gone' && !concernsCall(state, poll))) return;
    await this.#deps.store.write(async (tx) => {
      await this.#deps.wakes.wake(tx, poll.turnId, taskKey(poll.taskId));
      // A task that asks has not ended. Its item stays, because it is what cancels the task when the turn is stopped.
      if (state === 'gone' || state.status !== 'input_required') await tx.queue.cancel(POLL, key);
    });
  }

  async #cancel(key: string, poll: TaskPoll, ends: AbortSignal): Promise<void> {
    const answer = await this.#ask(poll, ends, (connection, signal) => connection.cancelTask(poll.taskId, signal));
    if (answer === 'later') return;
    await this.#deps.store.write((tx) => tx.queue.cancel(POLL, key));
  }

  /** `later`: the server cannot be reached now; `gone`: there is no such server or task, or it does not answer as one. */
  async #ask<T>(
    { namespace, server, agent, sessionId, identity }: TaskPoll,
    ends: AbortSignal,
    work: (connection: McpConnection, signal: AbortSignal) => Promise<T>,
  ): Promise<T | 'later' | 'gone'> {
    const wanted = await this.#deps.lookup.find(namespace, server, { agent, sessionId, identity });
    // Without a grant of its person the call asks for the sign-in itself.
    if (typeof wanted !== 'object' || isSignInNeeded(wanted)) return 'gone';
    const late = new AbortController();
    const failure = new McpFailure('timeout', 'the server did not answer in time');
    const cancel = this.#deps.clock.after(CHECK_MS, () => late.abort(failure));
    const signal = AbortSignal.any([late.signal, ends]);
    try {
      const slot: Pick<ServerSlot, 'use'> = this.#deps.pool.slot(wanted);
      return await slot.use(signal, (connection) => work(connection, signal));
    } catch (error) {
      if (signal.aborted) return 'later';
      if (error instanceof McpFailure) return isPassing(error) ? 'later' : 'gone';
      throw error;
    } finally {
      cancel();
    }
  }
}

const isSignInNeeded = ({ signIn }: WantedServer): boolean => signIn !== undefined && signIn.grant === undefined;

/** True for failures after which a task is still worth asking for. */
export const isPassing = ({ kind }: McpFailure): boolean =>
  kind === 'connect' || kind === 'lost' || kind === 'timeout' || kind === 'expired';

/** True where the call has something to do: its task ended, or asks what no person was asked yet. */
const concernsCall = (state: McpTaskState, { taskId, known }: TaskPoll): boolean => {
  if (state.status === 'working') return false;
  if (state.status !== 'input_required' || state.questions.length === 0) return true;
  return state.questions.some(({ id }) => !known.includes(questionKey(taskId, id)));
};
