import { type Resource, type Task, TaskPhase, type TaskSpec, type TaskStatus } from '@svc/api/resources';
import type { Tone } from '../../ui/badge.tsx';

/** A task with its name and namespace. */
export interface TaskCard {
  readonly ns: string;
  readonly name: string;
  readonly uid: string;
  readonly spec: TaskSpec;
  readonly status: TaskStatus;
  readonly phase: TaskPhase;
}

/** Columns of the board, in the order in which work goes. */
const COLUMNS: readonly { readonly title: string; readonly phases: readonly TaskPhase[] }[] = [
  { title: 'Queued', phases: [TaskPhase.QUEUED, TaskPhase.UNSPECIFIED] },
  { title: 'Running', phases: [TaskPhase.RUNNING] },
  { title: 'Blocked', phases: [TaskPhase.BLOCKED] },
  { title: 'To review', phases: [TaskPhase.NEEDS_REVIEW] },
  { title: 'Ended', phases: [TaskPhase.SUCCEEDED, TaskPhase.FAILED, TaskPhase.CANCELED, TaskPhase.EXPIRED] },
];

const NAMES: Readonly<Record<TaskPhase, string>> = {
  [TaskPhase.UNSPECIFIED]: 'queued',
  [TaskPhase.QUEUED]: 'queued',
  [TaskPhase.RUNNING]: 'running',
  [TaskPhase.BLOCKED]: 'blocked',
  [TaskPhase.NEEDS_REVIEW]: 'to review',
  [TaskPhase.SUCCEEDED]: 'succeeded',
  [TaskPhase.FAILED]: 'failed',
  [TaskPhase.CANCELED]: 'canceled',
  [TaskPhase.EXPIRED]: 'expired',
};

const TONES: Readonly<Partial<Record<TaskPhase, Tone>>> = {
  [TaskPhase.RUNNING]: 'busy',
  [TaskPhase.BLOCKED]: 'warn',
  [TaskPhase.NEEDS_REVIEW]: 'warn',
  [TaskPhase.SUCCEEDED]: 'good',
  [TaskPhase.FAILED]: 'bad',
  [TaskPhase.EXPIRED]: 'bad',
};

/** A phase in words, and how it looks. */
export const phaseWords = (phase: TaskPhase): { readonly text: string; readonly tone: Tone } => ({
  text: NAMES[phase],
  tone: TONES[phase] ?? 'calm',
});

/** What an operator may do with a task in a phase: the same as the agent that answers for it. */
export const movesFrom = (phase: TaskPhase): readonly TaskPhase[] => {
  const { RUNNING, SUCCEEDED, FAILED, CANCELED } = TaskPhase;
  switch (phase) {
    case TaskPhase.UNSPECIFIED:
    case TaskPhase.QUEUED:
    case TaskPhase.BLOCKED:
      return [RUNNING, CANCELED];
    case RUNNING:
      return [SUCCEEDED, CANCELED];
    case TaskPhase.NEEDS_REVIEW:
      return [SUCCEEDED, RUNNING, FAILED, CANCELED];
    default:
      return [];
  }
};

const MOVES: Readonly<Partial<Record<TaskPhase, string>>> = {
  [TaskPhase.RUNNING]: 'Start',
  [TaskPhase.SUCCEEDED]: 'Accept',
  [TaskPhase.FAILED]: 'Fail',
  [TaskPhase.CANCELED]: 'Cancel',
};

/** The move from one phase to another, as the word of a button. */
export const moveName = (from: TaskPhase, to: TaskPhase): string => {
  if (to === TaskPhase.RUNNING && from === TaskPhase.NEEDS_REVIEW) return 'Send back';
  return MOVES[to] ?? phaseWords(to).text;
};

/** The task in a resource. */
export const cardOf = ({ metadata, spec, status }: Resource): TaskCard | undefined => {
  if (spec?.kind.case !== 'task' || status?.kind.case !== 'task') return undefined;
  return {
    ns: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    spec: spec.kind.value,
    status: status.kind.value,
    phase: status.kind.value.phase,
  };
};

/** Cards of each column, the latest change first. */
export const boardOf = (cards: readonly TaskCard[]) =>
  COLUMNS.map(({ title, phases }) => ({
    title,
    cards: cards
      .filter(({ phase }) => phases.includes(phase))
      .sort((one, other) => (one.status.updatedAt > other.status.updatedAt ? -1 : 1)),
  }));

/** What a task is called. */
export const titleOf = ({ spec, name }: { readonly spec: Task['spec']; readonly name: string }): string =>
  spec?.title || name;
