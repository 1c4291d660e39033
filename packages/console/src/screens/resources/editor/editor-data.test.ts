import { create } from '@bufbuild/protobuf';
import { ApplyOutcome, ApplyResourceResponseSchema } from '@svc/api/gateway';
import { describe, expect, it } from 'vitest';
import { readWritten } from '../manifest/index.ts';
import { type Rehearsal, rehearsalOf } from './editor-data.ts';

const written = readWritten('kind: Agent\nmetadata:\n  name: helper\n');

const rehearsed = (outcome: ApplyOutcome, isNew: boolean): Rehearsal =>
  rehearsalOf(create(ApplyResourceResponseSchema, { outcome, resource: { kind: 'Agent' } }), isNew, written);

describe('rehearsalOf', () => {
  it('refuses a new resource whose name is taken, at its name', () => {
    for (const outcome of [ApplyOutcome.UPDATED, ApplyOutcome.UNCHANGED])
      expect(rehearsed(outcome, true)).toEqual({
        is: 'refused',
        problems: [{ line: 3, text: 'There is already one of this name; open it to change it.' }],
      });
  });

  it('takes a new resource that is created, and a change of one that exists', () => {
    expect(rehearsed(ApplyOutcome.CREATED, true).is).toBe('fine');
    expect(rehearsed(ApplyOutcome.UPDATED, false).is).toBe('fine');
  });

  it('tells a change of others apart from a mistake of the text', () => {
    const answer = { outcome: ApplyOutcome.FAILED, fieldErrors: [{ field: 'metadata.name', description: 'too long' }] };
    expect(rehearsalOf(create(ApplyResourceResponseSchema, answer), true, written)).toEqual({
      is: 'refused',
      problems: [{ line: 3, column: 0, text: 'metadata.name: too long' }],
    });
    const conflict = { outcome: ApplyOutcome.FAILED, fieldErrors: [{ reason: 'CONFLICT' }] };
    expect(rehearsalOf(create(ApplyResourceResponseSchema, conflict), false, written)).toEqual({ is: 'conflict' });
  });
});
