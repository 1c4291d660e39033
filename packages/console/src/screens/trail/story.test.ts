import { create } from '@bufbuild/protobuf';
import { type TrailEntry, TrailEntrySchema } from '@svc/api/data';
import { describe, expect, it } from 'vitest';
import { placeOf, storyOf, toneOfState } from './story.ts';

const entry = (id: string, at: number, causedBy = ''): TrailEntry =>
  create(TrailEntrySchema, { id, at: BigInt(at), causedBy });

describe('storyOf', () => {
  it('puts each effect below its cause, also one that is dated before it', () => {
    const told = storyOf([
      entry('message', 1_000_000, 'event'),
      entry('event', 1_002_500),
      { ...entry('turn', 1_010_000, 'message'), endedAt: 1_250_000n },
      entry('other', 1_011_000, 'event'),
      entry('reply', 1_240_000, 'turn'),
    ]);
    expect(told.map(({ entry: { id }, depth, sinceMs, tookMs }) => [id, depth, sinceMs, tookMs])).toEqual([
      ['event', 0, 2.5, undefined],
      ['message', 1, 0, undefined],
      ['turn', 2, 10, 240],
      ['reply', 3, 240, undefined],
      ['other', 1, 11, undefined],
    ]);
  });

  it('tells every entry once, also where causes are missing or go round', () => {
    const told = storyOf([entry('a', 1, 'gone'), entry('b', 2, 'c'), entry('c', 3, 'b'), entry('d', 4, 'd')]);
    expect(told.map(({ entry: { id } }) => id).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(storyOf([])).toEqual([]);
  });
});

it('says how a state looks, whatever its case', () => {
  expect(['COMPLETED', 'rejected', 'WAITING', 'user'].map(toneOfState)).toEqual(['good', 'bad', 'busy', 'calm']);
});

it('knows where the things of a trail are', () => {
  const place = (kind: string, fields: object): string | undefined =>
    placeOf(create(TrailEntrySchema, { kind, ns: 'a:b', ...fields }));
  expect(place('turn', { agent: 'clerk', sessionId: 's1' })).toBe('/ns/a%3Ab/agents/clerk/sessions/s1');
  expect(place('schedule_firing', { id: 'daily@1764288000000000' })).toBe('/ns/a%3Ab/schedules/daily');
  expect(place('workflow_run', { id: 'r1', name: 'ship' })).toBe('/ns/a%3Ab/workflows/ship/runs/r1');
  expect(place('run_step', { id: 'r1/ask' })).toBeUndefined();
});
