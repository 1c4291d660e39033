import type { StoredResource } from '../../../store/contracts/index.ts';
import { shownTime } from '../../../tools/authority-contract.ts';
import { scheduleSpec } from './schedule-kind.ts';
import { storedStatus } from './schedule-status.ts';
import { scheduleKind } from './timing/index.ts';

/** A schedule as models read it; `note` says why it does not run. */
export const shownSchedule = (record: StoredResource) => {
  const spec = scheduleSpec(record);
  const { nextRunAt, lastRunAt, conditions } = storedStatus(record);
  const { target, cron, intervalSeconds, runAt, timezone } = spec;
  const ready = conditions.find(({ type, status }) => type === 'Ready' && status !== 'True');
  const filled = Object.entries({
    workflow: target?.workflow,
    cron,
    run_at: runAt,
    timezone,
    session_id: target?.sessionId,
    note: ready === undefined ? '' : ready.message || ready.reason,
  }).filter(([, value]) => value !== undefined && value !== '');
  return {
    name: record.key.name,
    kind: scheduleKind(spec) ?? spec.kind,
    agent: target?.agent ?? '',
    enabled: spec.enabled !== false,
    session_mode: target?.sessionMode || 'new',
    input_message: spec.inputMessage,
    ...(intervalSeconds === 0 ? {} : { interval_seconds: intervalSeconds }),
    ...Object.fromEntries(filled),
    ...(nextRunAt === undefined ? {} : { next_run_at: shownTime(Number(nextRunAt)) }),
    ...(lastRunAt === undefined ? {} : { last_run_at: shownTime(Number(lastRunAt)) }),
  };
};
