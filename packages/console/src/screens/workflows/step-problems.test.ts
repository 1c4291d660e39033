import { create } from '@bufbuild/protobuf';
import { FieldErrorSchema } from '@svc/api/gateway';
import { ResourceSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import type { FlowStep } from './flow/index.ts';
import { looksOfProblems, problemsOfText } from './step-problems.ts';

const steps: readonly FlowStep[] = ['read', 'ask'].map((id) => ({ id, type: 'agent', after: [], does: '' }));
const errors = [
  { field: 'spec.steps[1].agent', description: 'is required', line: 9, column: 7 },
  { field: 'spec.steps[1].prompt', description: 'is required', line: 9, column: 7 },
  { field: 'spec.steps[7]', description: 'is not there', line: 1, column: 1 },
  { field: 'metadata.name', description: 'is required', line: 1, column: 1 },
].map((error) => create(FieldErrorSchema, error));

const degraded = create(ResourceSchema, {
  kind: 'Workflow',
  status: {
    kind: {
      case: 'workflow',
      value: {
        phase: 'Degraded',
        conditions: [
          { type: 'Ready', status: 'False', message: 'step ask: repeated' },
          { type: 'ReferencesResolved', status: 'False', message: 'step read: no agent nope; step gone-1: no tool x' },
          { type: 'ReferencesOrdered', status: 'True', message: 'step ask: fine' },
        ],
      },
    },
  },
});

it('shows the first error of a step, and warnings of the conditions', () => {
  expect([...looksOfProblems(steps, errors, undefined)]).toEqual([
    ['ask', { tone: 'bad', word: 'Wrong', note: 'agent is required' }],
  ]);
  expect([...looksOfProblems(steps, [], degraded)]).toEqual([
    ['read', { tone: 'warn', word: 'Check', note: 'no agent nope' }],
    ['gone-1', { tone: 'warn', word: 'Check', note: 'no tool x' }],
  ]);
});

it('keeps the lines for the text', () => {
  expect(problemsOfText(errors)[0]).toEqual({ line: 9, column: 7, text: 'spec.steps[1].agent is required' });
});
