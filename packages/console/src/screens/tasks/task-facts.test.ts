import { create } from '@bufbuild/protobuf';
import { type Resource, ResourceSchema, TaskPhase } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { boardOf, cardOf, moveName, movesFrom, phaseWords } from './task-facts.ts';

const task = (name: string, phase: TaskPhase, updatedAt: bigint): Resource =>
  create(ResourceSchema, {
    metadata: { name, namespace: 'a' },
    spec: { kind: { case: 'task', value: { title: name } } },
    status: { kind: { case: 'task', value: { phase, updatedAt } } },
  });

it('puts tasks into the column of their phase, the latest change first', () => {
  const cards = [
    task('old', TaskPhase.RUNNING, 1n),
    task('new', TaskPhase.RUNNING, 2n),
    task('lost', TaskPhase.EXPIRED, 3n),
    task('check', TaskPhase.NEEDS_REVIEW, 4n),
    create(ResourceSchema, {}),
  ].flatMap((resource) => cardOf(resource) ?? []);
  expect(boardOf(cards).map(({ title, cards: own }) => [title, own.map(({ name }) => name)])).toEqual([
    ['Queued', []],
    ['Running', ['new', 'old']],
    ['Blocked', []],
    ['To review', ['check']],
    ['Ended', ['lost']],
  ]);
});

it('offers the moves that the server takes from an operator', () => {
  expect(movesFrom(TaskPhase.NEEDS_REVIEW).map((phase) => phaseWords(phase).text)).toEqual([
    'succeeded',
    'running',
    'failed',
    'canceled',
  ]);
  expect(movesFrom(TaskPhase.BLOCKED).map((phase) => phaseWords(phase).text)).toEqual(['running', 'canceled']);
  expect(movesFrom(TaskPhase.RUNNING).map((phase) => phaseWords(phase).text)).toEqual(['succeeded', 'canceled']);
  expect(movesFrom(TaskPhase.SUCCEEDED)).toEqual([]);
  expect(moveName(TaskPhase.NEEDS_REVIEW, TaskPhase.RUNNING)).toBe('Send back');
  expect(moveName(TaskPhase.QUEUED, TaskPhase.RUNNING)).toBe('Start');
});
