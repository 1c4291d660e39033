import { TaskPhase, type TaskStatus } from '@svc/api/resources';
import type { TurnBody, TurnEndHook, TurnProgressHook } from '../../../runtime/contract.ts';
import type { TurnRow, WriteTx } from '../../../store/contracts/index.ts';
import { TaskMoves, type TaskMovesDeps } from './task-moves.ts';
import { taskOfTurn } from './task-origin.ts';
import { canMoveTask } from './task-rules.ts';
import { type Execution, executionOf, type TaskChange, taskStatus } from './task-status.ts';

interface DelegateTurn {
  readonly turn: TurnRow;
  readonly body: TurnBody;
}

/** Characters of a reply that become the summary of a task. */
const SUMMARY_CHARS = 1_200;

/**
 * Moves tasks as the turns of their delegates move. Only the turn that the execution reference names counts: an earlier or a foreign
 * one in the same session changes nothing. What the table does not allow the runtime to move stays as the delegate or the owner put it.
 */
export class TaskTurns implements TurnEndHook, TurnProgressHook {
  readonly #moves: TaskMoves;

  constructor(deps: TaskMovesDeps) {
    this.#moves = new TaskMoves(deps);
  }

  turnTaken(tx: WriteTx, taken: DelegateTurn): Promise<void> {
    return this.#follow(tx, taken, (status) => {
      const hasWaited = status.phase === TaskPhase.BLOCKED && executionOf(status) === 'AwaitingPerson';
      const begins = status.phase === TaskPhase.QUEUED || hasWaited;
      return { execution: 'Running', ...(begins ? { phase: TaskPhase.RUNNING } : {}) };
    });
  }

  turnParked(tx: WriteTx, parked: DelegateTurn & { readonly waitsFor: 'person' | 'event' }): Promise<void> {
    return this.#follow(tx, parked, () =>
      parked.waitsFor === 'person'
        ? { execution: 'AwaitingPerson', phase: TaskPhase.BLOCKED }
        : { execution: 'AwaitingEvent' },
    );
  }

  turnEnded(tx: WriteTx, end: Parameters<TurnEndHook['turnEnded']>[1]): Promise<void> {
    const { turn, body, replyText } = end;
    return this.#follow(tx, { turn, body }, ({ progressSummary }) => {
      const summary = progressSummary === '' ? summaryOf(turn, body, replyText) : '';
      if (turn.state === 'COMPLETED')
        return { execution: 'Completed', phase: TaskPhase.NEEDS_REVIEW, progressSummary: summary };
      const execution: Execution = turn.state === 'STOPPED' ? 'Stopped' : 'Failed';
      return { execution, phase: TaskPhase.FAILED, progressSummary: summaryOf(turn, body, '') };
    });
  }

  async #follow(
    tx: WriteTx,
    { turn, body }: DelegateTurn,
    changeOf: (status: TaskStatus) => TaskChange,
  ): Promise<void> {
    const key = taskOfTurn(body);
    const record = key === undefined ? undefined : await tx.resources.get(key);
    if (record === undefined) return;
    const status = taskStatus(record);
    if (status.executionRef?.runId !== turn.id) return;
    const { phase, progressSummary, ...rest } = changeOf(status);
    const isAllowed = phase !== undefined && canMoveTask(status.phase, phase, ['runtime']);
    const moved = isAllowed ? { phase, ...(progressSummary === undefined ? {} : { progressSummary }) } : {};
    await this.#moves.move(tx, record, { ...rest, ...moved, by: ['runtime'] });
  }
}

/** The reply, else why there is none. */
const summaryOf = ({ state }: TurnRow, { error, reason }: TurnBody, replyText: string): string => {
  if (state === 'COMPLETED') return replyText.slice(0, SUMMARY_CHARS);
  const why = state === 'STOPPED' ? "The delegate's turn was stopped." : (error ?? reason ?? 'The delegate failed.');
  return why.slice(0, SUMMARY_CHARS);
};
