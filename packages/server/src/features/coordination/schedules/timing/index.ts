/**
 * features/coordination/schedules/timing: when schedules run: time zones, cron expressions, RFC 3339 times, and the next instant as a pure
 * function. Knows no store and no clock; the current time is passed in. Called by rules, status and previews.
 */
export { CronExpression } from './cron-rules.ts';
export { parseRunAt } from './run-at-rules.ts';
export {
  instantsBefore,
  latestInstant,
  nextInstant,
  nextInstants,
  readTiming,
  type ScheduleKind,
  scheduleKind,
  type Timing,
} from './timing-rules.ts';
export { utcCron } from './utc-cron.ts';
export { isTimezone } from './zone-rules.ts';
