import { TaskPhase } from '@svc/api/resources';

/** Who moves a task. */
export type TaskActor = 'runtime' | 'delegate' | 'owner' | 'operator' | 'controller';

interface Move {
  readonly from: readonly TaskPhase[];
  readonly to: TaskPhase;
  readonly by: readonly TaskActor[];
}

const { QUEUED, RUNNING, BLOCKED, NEEDS_REVIEW, SUCCEEDED, FAILED, CANCELED, EXPIRED } = TaskPhase;
const ACTIVE: readonly TaskPhase[] = [QUEUED, RUNNING, BLOCKED, NEEDS_REVIEW];

const MOVES: readonly Move[] = [
  { from: [QUEUED], to: RUNNING, by: ['runtime', 'owner'] },
  { from: [QUEUED], to: FAILED, by: ['runtime'] },
  { from: [RUNNING], to: BLOCKED, by: ['delegate', 'runtime'] },
  { from: [RUNNING], to: NEEDS_REVIEW, by: ['delegate', 'runtime'] },
  { from: [RUNNING, BLOCKED], to: FAILED, by: ['delegate', 'runtime'] },
  { from: [BLOCKED], to: RUNNING, by: ['delegate', 'owner', 'runtime'] },
  { from: [BLOCKED], to: NEEDS_REVIEW, by: ['delegate'] },
  { from: [NEEDS_REVIEW], to: RUNNING, by: ['owner'] },
  { from: [RUNNING, NEEDS_REVIEW], to: SUCCEEDED, by: ['owner', 'operator'] },
  { from: [NEEDS_REVIEW], to: FAILED, by: ['owner', 'operator'] },
  { from: ACTIVE, to: CANCELED, by: ['owner', 'operator'] },
  { from: ACTIVE, to: EXPIRED, by: ['controller'] },
];

/** True while a task may still end. */
export const isActivePhase = (phase: TaskPhase): boolean => ACTIVE.includes(phase);

/** True for phases whose owner has something to do or to know: it is woken once, when the task enters one. */
export const wakesOwner = (phase: TaskPhase): boolean => [NEEDS_REVIEW, BLOCKED, FAILED, EXPIRED].includes(phase);

/** True when one of the actors may move a task so; the same phase is not a transition. */
export const canMoveTask = (from: TaskPhase, to: TaskPhase, actors: readonly TaskActor[]): boolean =>
  MOVES.some((move) => move.from.includes(from) && move.to === to && move.by.some((actor) => actors.includes(actor)));
