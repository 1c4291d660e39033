/** Goals of one session (capability `goals`): side state that every prompt of the session shows while active. */

export const GOAL_PHASES = ['active', 'done', 'abandoned'] as const;
export type GoalPhase = (typeof GOAL_PHASES)[number];

export interface Goal {
  /** Derived from the idempotency key of the creating call, so that a second run finds the first one's goal. */
  readonly id: string;
  readonly objective: string;
  readonly successCriteria: string;
  readonly phase: GoalPhase;
  readonly progress: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface GoalChange {
  readonly phase?: GoalPhase;
  readonly progress?: string;
  readonly updatedAt: number;
}

/** Most goals one session may keep, ended ones included. */
export const MAX_GOALS = 50;

/** Durable goals of a session; every write is harmless when it runs twice. */
export interface GoalBook {
  list(sessionId: string): Promise<readonly Goal[]>;
  /** Returns the stored goal when the id exists. Throws Fault RESOURCE_EXHAUSTED GOALS_FULL above MAX_GOALS. */
  create(sessionId: string, goal: Goal): Promise<Goal>;
  /** Undefined when there is no such goal. */
  update(sessionId: string, goalId: string, change: GoalChange): Promise<Goal | undefined>;
}
