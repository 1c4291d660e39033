import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ScheduleSpecSchema, ScheduleStatusSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { checkSchedule, fillSchedule } from './schedule-rules.ts';
import { scheduleStatus } from './schedule-status-rules.ts';

type Init = MessageInitShape<typeof ScheduleSpecSchema>;

const NOW = Date.parse('2026-01-01T00:00:00Z') * 1_000;
const target = { agent: 'helper' };

const faults = (init: Init, more: { minimum?: number; firedAt?: number; annotations?: Record<string, string> } = {}) =>
  checkSchedule(create(ScheduleSpecSchema, init), more.annotations ?? {}, {
    ...{ now: NOW, minSpacingSeconds: more.minimum ?? 1 },
    ...(more.firedAt === undefined ? {} : { firedAt: more.firedAt }),
  }).map(({ field, reason }) => `${field.replace('spec.', '')} ${reason}`);

describe('rules of schedules', () => {
  it.each<[string, Init]>([
    ['a time with an offset', { kind: 'once', runAt: '2026-01-01T02:00:00+01:00', target }],
    ['a local time', { runAt: '2026-06-01T09:00:00', timezone: 'Europe/Berlin', target }],
    ['the last day that is exact', { runAt: '2255-06-05T00:00:00Z', target }],
    ['a disabled one in the past', { runAt: '2025-06-01T09:00:00Z', enabled: false, target }],
    ['every second', { intervalSeconds: 1, target }],
    ['a cron line', { kind: ' CRON ', cron: '0 9 * * mon-fri', timezone: 'Asia/Tokyo', target }],
    ['a workflow with input', { intervalSeconds: 60, target: { workflow: 'w' }, inputJson: '{"a":[1]}' }],
    ['a pinned session', { intervalSeconds: 60, target: { ...target, sessionMode: ' Pinned ', sessionId: 'x' } }],
  ])('accept %s', (_name, init) => {
    expect(faults(init)).toEqual([]);
  });

  it.each<[Init, string[]]>([
    [{ target }, ['kind SCHEDULE_KIND']],
    [{ kind: 'weekly', target }, ['kind SCHEDULE_KIND']],
    [{ intervalSeconds: 5, cron: '@daily', target }, ['kind SCHEDULE_KIND']],
    [{ kind: 'at', runAt: 'soon', target }, ['runAt RUN_AT']],
    [{ kind: 'at', runAt: '2030-01-01T24:00:00Z', target }, ['runAt RUN_AT']],
    [{ kind: 'at', target }, ['runAt RUN_AT']],
    [{ kind: 'at', runAt: '2255-06-06T00:00:00Z', target }, ['runAt RUN_AT']],
    [{ kind: 'at', runAt: '9999-12-31T23:59:59Z', enabled: false, target }, ['runAt RUN_AT']],
    [{ runAt: '2025-12-31T23:59:59Z', target }, ['runAt RUN_AT_PAST']],
    [{ kind: 'every', target }, ['intervalSeconds INTERVAL']],
    [{ cron: 'x', target }, ['cron CRON_SYNTAX']],
    [{ cron: '0 0 30 2 *', target }, ['cron CRON_NEVER']],
    [
      { kind: 'at', runAt: '2027-01-01T00:00:00Z', intervalSeconds: 1, cron: 'x', target },
      ['intervalSeconds FIELD_NOT_FOR_KIND', 'cron FIELD_NOT_FOR_KIND'],
    ],
    [{ kind: 'every', intervalSeconds: 5, runAt: 'x', target }, ['runAt FIELD_NOT_FOR_KIND']],
    [{ intervalSeconds: 5, timezone: 'Mars/Base', target }, ['timezone TIMEZONE']],
    [{ runAt: '2027-01-01T00:00:00', timezone: '+01:00', target }, ['timezone TIMEZONE']],
    [{ cron: '@daily', timezone: 'Mars/Base', target }, ['timezone TIMEZONE']],
    [{ intervalSeconds: 5 }, ['target TARGET']],
    [{ intervalSeconds: 5, target: { agent: 'a', workflow: 'w' } }, ['target TARGET']],
    [{ intervalSeconds: 5, target: { agent: 'a', sessionMode: 'old' } }, ['target.sessionMode SESSION_MODE']],
    [{ intervalSeconds: 5, target, inputMessage: 'x'.repeat(65_537) }, ['inputMessage TOO_LARGE']],
    [{ intervalSeconds: 5, target, inputJson: '{' }, ['inputJson INPUT_JSON']],
    [{ intervalSeconds: 5, target, inputJson: `"${'x'.repeat(262_144)}"` }, ['inputJson TOO_LARGE']],
    [
      { cron: 'x', timezone: 'x y', inputJson: 'no' },
      ['cron CRON_SYNTAX', 'timezone TIMEZONE', 'target TARGET', 'inputJson INPUT_JSON'],
    ],
  ])('refuse %j', (init, expected) => {
    expect(faults(init)).toEqual(expected);
  });

  it('keep the least spacing of runs', () => {
    expect(faults({ intervalSeconds: 59, target }, { minimum: 60 })).toEqual(['intervalSeconds INTERVAL']);
    expect(faults({ intervalSeconds: 60, target }, { minimum: 60 })).toEqual([]);
    expect(faults({ cron: '*/30 * * * * *', target }, { minimum: 60 })).toEqual(['cron CRON_SPACING']);
    expect(faults({ cron: '* * * * *', target }, { minimum: 60 })).toEqual([]);
    expect(faults({ cron: '15 * * * * *', target }, { minimum: 60 })).toEqual([]);
    expect(faults({ cron: '15,16 3 * * * *', target }, { minimum: 60 })).toEqual(['cron CRON_SPACING']);
    expect(faults({ cron: '* * * * *', target }, { minimum: 61 })).toEqual(['cron CRON_SPACING']);
    expect(faults({ cron: '15 * * * * *', target }, { minimum: 61 })).toEqual(['cron CRON_SPACING']);
    expect(faults({ cron: '0,30 3 * * *', target }, { minimum: 3_600 })).toEqual(['cron CRON_SPACING']);
  });

  it('let the instant that was fired stand in the past', () => {
    const runAt = '2025-12-31T23:00:00Z';
    expect(faults({ runAt, target }, { firedAt: Date.parse(runAt) * 1_000 })).toEqual([]);
    expect(faults({ runAt, target }, { firedAt: 1 })).toEqual(['runAt RUN_AT_PAST']);
  });

  it('know two options', () => {
    const annotations = { 'option.svc/overlap': 'maybe', 'option.svc/catch-up': 'all' };
    expect(faults({ intervalSeconds: 5, target }, { annotations })).toEqual([
      'metadata.annotations[option.svc/overlap] FIELD_INVALID',
      'metadata.annotations[option.svc/catch-up] FIELD_INVALID',
    ]);
    const known = { 'option.svc/overlap': 'skip', 'option.svc/catch-up': 'one' };
    expect(faults({ intervalSeconds: 5, target }, { annotations: known })).toEqual([]);
  });

  it('fill enabled in and leave words as they are', () => {
    const filled = fillSchedule(create(ScheduleSpecSchema, { kind: ' Once ' }));
    expect([filled.enabled, filled.kind]).toEqual([true, ' Once ']);
    expect(fillSchedule(create(ScheduleSpecSchema, { enabled: false })).enabled).toBe(false);
  });
});

describe('status of schedules', () => {
  const facts = {
    now: NOW,
    generation: 1,
    anchor: NOW,
    hasTarget: true,
    isNamespaceLive: true,
    isDeleting: false,
    timer: 't',
    isWrite: true,
    firedAt: 0,
  };
  const every = create(ScheduleSpecSchema, { intervalSeconds: 60, target, enabled: true });
  const events = (status: ReturnType<typeof scheduleStatus>) =>
    status.recentEvents.map(({ phase, outcome }) => `${phase}/${outcome}`);
  const reasons = (status: ReturnType<typeof scheduleStatus>) =>
    status.conditions.map(({ type, status: state, reason }) => `${type} ${state} ${reason}`);

  it('keeps what runs noted, and at most 20 events', () => {
    const noted = create(ScheduleStatusSchema, {
      ...{ revision: 3n, lastRunAt: 5n, lastSessionId: 's', lastError: 'QUOTA: no', backendArmed: true },
      conditions: [{ type: 'LastRunSucceeded', status: 'False', reason: 'Failed', message: 'm' }],
      recentEvents: Array.from({ length: 20 }, (_, index) => ({
        timestamp: BigInt(index),
        phase: 'claim',
        outcome: 'acquired',
      })),
    });
    const status = scheduleStatus(noted, every, facts);
    expect(status).toMatchObject({
      revision: 4n,
      lastRunAt: 5n,
      lastSessionId: 's',
      lastError: 'QUOTA: no',
      phase: 'Degraded',
    });
    expect(reasons(status)).toContain('LastRunSucceeded False Failed');
    expect([status.recentEvents.length, events(status).at(-1)]).toEqual([20, 'arm/armed']);
    expect(status.claimedRunAt).toBeUndefined();
  });

  it('says when nothing is left to run, and arms no deleted namespace', () => {
    const never = create(ScheduleSpecSchema, { cron: '0 0 30 2 *', target, enabled: true });
    const done = scheduleStatus(undefined, never, facts);
    expect([done.phase, done.nextRunAt, reasons(done)[0]]).toEqual([
      'Degraded',
      undefined,
      'Ready False NoFurtherRuns',
    ]);
    const live = scheduleStatus(undefined, every, facts);
    const gone = scheduleStatus(live, every, { ...facts, isWrite: false, isNamespaceLive: false });
    expect(gone).toMatchObject({ phase: 'Disabled', backendArmed: false, revision: 1n });
    expect(gone.backendHandle).toBeUndefined();
    expect(reasons(gone)).toContain('Armed False NamespaceDeleted');
    expect(events(gone)).toEqual(['initialize/ready', 'arm/armed', 'arm/disarmed']);
    const back = scheduleStatus(gone, every, { ...facts, isWrite: false });
    expect(events(back).at(-1)).toBe('arm/armed');
    expect(events(scheduleStatus(back, every, { ...facts, isWrite: false })).length).toBe(4);
  });

  it('is disarmed for good while its deletion waits', () => {
    const live = scheduleStatus(undefined, every, facts);
    const held = scheduleStatus(live, every, { ...facts, isWrite: false, isDeleting: true });
    expect(held).toMatchObject({ phase: 'Terminating', backendArmed: false, revision: 1n });
    expect([held.nextRunAt, events(held).at(-1)]).toEqual([undefined, 'arm/disarmed']);
    expect(reasons(held)).toContain('Armed False Deleting');
  });

  it('never fires what passed while its namespace was deleted', () => {
    const hour = 3_600_000_000;
    const once = create(ScheduleSpecSchema, {
      runAt: new Date((facts.now + hour) / 1_000).toISOString(),
      target,
      enabled: true,
    });
    const late = { ...facts, isWrite: false, now: facts.now + 2 * hour };
    const idle = scheduleStatus(undefined, once, { ...facts, isNamespaceLive: false });
    const missed = scheduleStatus(idle, once, late);
    expect([missed.phase, missed.nextRunAt, reasons(missed)[0]]).toEqual(['Degraded', undefined, 'Ready False Missed']);
    const recurring = scheduleStatus(idle, every, late);
    expect(Number(recurring.nextRunAt)).toBeGreaterThan(late.now);
    // A timer that was set in time stays due, however late something looks at it.
    const due = scheduleStatus(scheduleStatus(undefined, once, facts), once, late);
    expect([due.phase, due.nextRunAt]).toEqual(['Ready', BigInt(facts.now + hour)]);
  });

  it('is degraded without its target', () => {
    expect(reasons(scheduleStatus(undefined, every, { ...facts, hasTarget: false }))).toContain(
      'TargetResolved False AgentNotFound',
    );
    const flow = create(ScheduleSpecSchema, { intervalSeconds: 60, target: { workflow: 'w' } });
    const status = scheduleStatus(undefined, flow, { ...facts, hasTarget: false });
    expect([status.phase, reasons(status)[2]]).toEqual(['Degraded', 'TargetResolved False WorkflowNotFound']);
    expect(scheduleStatus(undefined, create(ScheduleSpecSchema), { ...facts, hasTarget: false }).phase).toBe(
      'Degraded',
    );
  });
});
