import { create } from '@bufbuild/protobuf';
import { ScheduleSpecSchema, ScheduleStatusSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { nextInstants, readTiming, type Timing } from '../timing/index.ts';
import { dueRun, retryAt, reusedSession, runFinding, runMessage, statusWithNews } from './run-rules.ts';

const SECOND = 1_000_000;
const at = (text: string): number => Date.parse(text) * 1_000;
const timingOf = (spec: object): Timing => {
  const timing = readTiming(create(ScheduleSpecSchema, spec));
  if (timing === undefined) throw new Error('no timing');
  return timing;
};

describe('the run that is due', () => {
  it('is the newest instant, and the earlier ones are missed', () => {
    const every = timingOf({ intervalSeconds: 60 });
    const first = at('2026-03-01T00:00:00Z');
    expect(dueRun(every, first, first)).toEqual({ instant: first, missed: 0, isOverdue: false });
    expect(dueRun(every, first, first + 615 * SECOND)).toEqual({
      instant: first + 600 * SECOND,
      missed: 10,
      isOverdue: false,
    });
    expect(dueRun(timingOf({ runAt: '2026-03-01T00:00:00Z' }), first, first + 61 * SECOND)).toEqual({
      instant: first,
      missed: 0,
      isOverdue: true,
    });
    expect(dueRun(every, first, first - SECOND)).toMatchObject({ instant: first, missed: 0 });
  });

  // The oracle walks from instant to instant.
  it.each([
    ['* * * * * *', '2026-03-01T00:00:00Z', 7_205],
    ['0 3 * * *', '2026-03-01T03:00:00Z', 86_400 * 45 + 7],
    ['0 0 1 1 *', '2026-01-01T00:00:00Z', 86_400 * 1_200],
    ['*/7 2-3 * * 1', '2026-03-02T02:00:00Z', 86_400 * 40],
    ['0 0 1 1 *', '2026-01-01T00:00:00Z', 86_400 * 30],
  ])('of "%s" is what walking from one instant to the next finds', (cron, from, seconds) => {
    const timing = timingOf({ cron });
    const first = at(from);
    const now = first + seconds * SECOND;
    const walked = [first, ...nextInstants(timing, { anchor: 0, after: first }, 9_000).filter((next) => next <= now)];
    const { instant, missed } = dueRun(timing, first, now);
    expect([instant, missed]).toEqual([walked.at(-1), walked.length - 1]);
  });

  it('counts at most 10,000 missed instants', () => {
    const first = at('2026-03-01T00:00:00Z');
    const now = first + 40_000 * SECOND;
    expect(dueRun(timingOf({ cron: '* * * * * *' }), first, now)).toMatchObject({ instant: now, missed: 10_000 });
    expect(dueRun(timingOf({ intervalSeconds: 1 }), first, now)).toMatchObject({ instant: now, missed: 10_000 });
  });
});

it('a failed run is tried again after 5 s, 30 s, 2 min and 10 min, unless its schedule runs again by then', () => {
  const waits = [1, 2, 3, 4, 5].map((failures) => retryAt(failures, 0, undefined));
  expect(waits).toEqual([5, 30, 120, 600, undefined].map((wait) => wait && wait * SECOND));
  expect(retryAt(2, 0, 31 * SECOND)).toBe(30 * SECOND);
  expect(retryAt(2, 0, 30 * SECOND)).toBeUndefined();
});

it('the message says what it is, and then what the schedule says', () => {
  const header = [
    'Scheduled run of "nightly", due at 2026-03-01T03:00:00.000Z.',
    'This message was sent automatically. Do not create, change or delete schedules unless it asks you to.',
  ].join('\n');
  expect(runMessage('nightly', at('2026-03-01T03:00:00Z'), ' count\n')).toBe(`${header}\n\n count\n`);
  expect(runMessage('nightly', at('2026-03-01T03:00:00Z'), '')).toBe(header);
});

it('news change what they name', () => {
  const before = create(ScheduleStatusSchema, {
    nextRunAt: 5n,
    backendArmed: true,
    lastError: 'X: y',
    claimedRunAt: 5n,
    claimExpiresAt: 9n,
    lastRunAt: 1n,
  });
  const claimed = statusWithNews(before, { now: 7, events: [], claim: { runAt: 5, until: 8 } });
  expect(claimed).toMatchObject({ claimedRunAt: 5n, claimExpiresAt: 8n, nextRunAt: 5n, lastError: 'X: y' });
  const ran = statusWithNews(claimed, {
    now: 7,
    events: [['dispatch', 'success']],
    nextRunAt: 65,
    lastError: '',
    startedIn: 's',
    claim: null,
  });
  expect(ran).toMatchObject({ nextRunAt: 65n, lastRunAt: 7n, lastSessionId: 's', recentEvents: [{ timestamp: 7n }] });
  expect([ran.lastError, ran.claimedRunAt, ran.claimExpiresAt]).toEqual([undefined, undefined, undefined]);
  const over = statusWithNews(ran, { now: 8, events: [], nextRunAt: null, lastError: 'e'.repeat(600) });
  expect([over.nextRunAt, over.backendArmed, over.lastError?.length]).toEqual([undefined, false, 500]);
  expect(statusWithNews(claimed, { now: 7, events: [] }).claimExpiresAt).toBe(8n);
  expect(before.recentEvents).toEqual([]);
});

it('the end of a run is a condition', () => {
  expect(runFinding('completed', '')).toEqual({ type: 'LastRunSucceeded', status: 'True', reason: 'Completed' });
  expect(runFinding('failed', 'no model')).toMatchObject({ status: 'False', reason: 'Failed', message: 'no model' });
  expect(runFinding('stopped', '')).toMatchObject({ status: 'False', reason: 'Stopped' });
});

it.each([
  [{ agent: 'a' }, undefined],
  [{ agent: 'a', sessionMode: 'fresh', sessionId: 's' }, undefined],
  [{ agent: 'a', sessionMode: ' Pinned ', sessionId: 's' }, 's'],
  [{ agent: 'a', sessionMode: 'reuse' }, ''],
  [undefined, undefined],
])('the target %j uses the session %j', (target, session) => {
  expect(reusedSession(create(ScheduleSpecSchema, target === undefined ? {} : ({ target } as never)))).toBe(session);
});
