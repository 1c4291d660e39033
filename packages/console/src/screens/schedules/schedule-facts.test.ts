import { create } from '@bufbuild/protobuf';
import { ScheduleEventSchema, ScheduleSpecSchema, ScheduleTargetSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { eventWords, plannedRuns, targetText, whenText } from './schedule-facts.ts';

const micros = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000n;

it('shows runs in the zone of the schedule and says where clocks change', () => {
  const runs = plannedRuns([micros('2026-03-28T02:00:00Z'), micros('2026-03-29T01:00:00Z')], 'Europe/Rome');
  expect(runs.map(({ text, offset, isAfterChange }) => [text, offset, isAfterChange])).toEqual([
    ['Sat, 28 Mar 2026, 03:00:00', 'GMT+1', false],
    ['Sun, 29 Mar 2026, 03:00:00', 'GMT+2', true],
  ]);
  expect(plannedRuns([micros('2026-03-28T02:00:00Z')], '')[0]?.text).toBe('Sat, 28 Mar 2026, 02:00:00');
});

it('says when and what', () => {
  const spec = (fields: object): string => whenText(create(ScheduleSpecSchema, fields));
  expect(spec({ cron: '0 3 * * *' })).toBe('0 3 * * *');
  expect([spec({ intervalSeconds: 90 }), spec({ intervalSeconds: 7_200 })]).toEqual(['every 90 s', 'every 2 h']);
  expect(spec({ runAt: '2030-05-01T09:00:00' })).toBe('once at 2030-05-01T09:00:00');
  expect(targetText(create(ScheduleTargetSchema, { workflow: 'ship' }))).toBe('workflow ship');
  expect(targetText(create(ScheduleTargetSchema, { agent: 'clerk' }))).toBe('agent clerk');
});

it('tells entries of the history in words, unknown ones as they are', () => {
  const words = (phase: string, outcome: string) => eventWords(create(ScheduleEventSchema, { phase, outcome }));
  expect(words('dispatch', 'skipped')).toEqual({ text: 'Left out', tone: 'warn' });
  expect(words('new', 'thing')).toEqual({ text: 'new: thing', tone: 'calm' });
});
