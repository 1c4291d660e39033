import type { WriteTx } from '../store/contracts/index.ts';

/** What a worker holds. */
export type ClaimKind = 'turn' | 'delivery' | 'schedule' | 'run' | 'sandbox';

/** A piece of work that one worker holds, so that no other one does it. Times are Unix micros. */
export interface WorkerClaim {
  readonly kind: ClaimKind;
  /** Id of the turn, delivery or run; name of the schedule or sandbox. */
  readonly id: string;
  readonly namespace: string;
  /** Name of the resource that it belongs to: connector, schedule, workflow or sandbox; '' for a turn. */
  readonly name: string;
  /** Of turns and sandboxes. */
  readonly agent?: string;
  readonly sessionId?: string;
  /** What is being done, in the words of its kind. */
  readonly state: string;
  /** Tells claims of one id and state apart, such as two calls of a run; it is not shown. */
  readonly part?: string;
  readonly since: number;
  /** When another worker may take it, unless it is renewed. */
  readonly until: number;
  /** How often it was begun; 0 where that is not counted. */
  readonly tries: number;
}

/** What one feature knows of the work that workers hold. */
export interface ClaimSource {
  /** What the worker of that name holds, at most `limit`. */
  held(tx: WriteTx, worker: { readonly name: string }, limit: number): Promise<readonly WorkerClaim[]>;
}

/** A time of the store's clock as people see it. */
export const shownAt = (tx: Pick<WriteTx, 'now' | 'steadyNow'>, steady: number): number =>
  steady + tx.now() - tx.steadyNow();
