import { CronExpression } from './cron-rules.ts';
import { Zone } from './zone-rules.ts';

/** The next time of a cron expression, by UTC clocks, after a time; Unix milliseconds, undefined when there is none. */
export type CronTimes = (afterMs: number) => number | undefined;

/** Undefined for text that is not a cron expression. */
export const utcCron = (text: string): CronTimes | undefined => {
  const expression = CronExpression.parse(text);
  if (expression === undefined) return undefined;
  const zone = new Zone('');
  return (afterMs) => expression.next(zone, Math.floor(afterMs));
};
