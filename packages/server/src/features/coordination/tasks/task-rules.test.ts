import { TaskPhase } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { canMoveTask, isActivePhase, type TaskActor, wakesOwner } from './task-rules.ts';

const PHASES = Object.values(TaskPhase).filter((phase): phase is TaskPhase => typeof phase === 'number');
const moves = (actor: TaskActor): string[] =>
  PHASES.flatMap((from) =>
    PHASES.filter((to) => canMoveTask(from, to, [actor])).map((to) => `${TaskPhase[from]} -> ${TaskPhase[to]}`),
  ).sort();

describe('a task', () => {
  it.each<readonly [TaskActor, readonly string[]]>([
    [
      'owner',
      [
        'BLOCKED -> CANCELED',
        'BLOCKED -> RUNNING',
        'NEEDS_REVIEW -> CANCELED',
        'NEEDS_REVIEW -> FAILED',
        'NEEDS_REVIEW -> RUNNING',
        'NEEDS_REVIEW -> SUCCEEDED',
        'QUEUED -> CANCELED',
        'QUEUED -> RUNNING',
        'RUNNING -> CANCELED',
        'RUNNING -> SUCCEEDED',
      ],
    ],
    [
      'operator',
      [
        'BLOCKED -> CANCELED',
        'NEEDS_REVIEW -> CANCELED',
        'NEEDS_REVIEW -> FAILED',
        'NEEDS_REVIEW -> SUCCEEDED',
        'QUEUED -> CANCELED',
        'RUNNING -> CANCELED',
        'RUNNING -> SUCCEEDED',
      ],
    ],
    [
      'delegate',
      [
        'BLOCKED -> FAILED',
        'BLOCKED -> NEEDS_REVIEW',
        'BLOCKED -> RUNNING',
        'RUNNING -> BLOCKED',
        'RUNNING -> FAILED',
        'RUNNING -> NEEDS_REVIEW',
      ],
    ],
    [
      'runtime',
      [
        'BLOCKED -> FAILED',
        'BLOCKED -> RUNNING',
        'QUEUED -> FAILED',
        'QUEUED -> RUNNING',
        'RUNNING -> BLOCKED',
        'RUNNING -> FAILED',
        'RUNNING -> NEEDS_REVIEW',
      ],
    ],
    ['controller', ['BLOCKED -> EXPIRED', 'NEEDS_REVIEW -> EXPIRED', 'QUEUED -> EXPIRED', 'RUNNING -> EXPIRED']],
  ])('is moved by the %s as the table says and not otherwise', (actor, expected) => {
    expect(moves(actor)).toEqual(expected);
  });

  it('is active in four phases', () => {
    expect(PHASES.filter(isActivePhase).map((phase) => TaskPhase[phase])).toEqual([
      'QUEUED',
      'RUNNING',
      'BLOCKED',
      'NEEDS_REVIEW',
    ]);
  });

  it('concerns its owner in four phases', () => {
    expect(PHASES.filter(wakesOwner).map((phase) => TaskPhase[phase])).toEqual([
      'BLOCKED',
      'NEEDS_REVIEW',
      'FAILED',
      'EXPIRED',
    ]);
  });
});
