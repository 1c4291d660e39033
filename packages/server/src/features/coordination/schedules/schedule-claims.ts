import { QUEUE_LEASE_MICROS } from '../../../controllers/contract.ts';
import type { ClaimSource } from '../../claim-source.ts';
import { SCHEDULE_TIMER, timerSchedule } from './schedule-timer.ts';

/** Schedules whose run a worker is starting. Their timers go by Unix time. */
export const scheduleClaims: ClaimSource = {
  held: async (tx, { name }, limit) => {
    const now = tx.now();
    const window = { kinds: [SCHEDULE_TIMER], now, until: now + QUEUE_LEASE_MICROS };
    const items = await tx.queue.held(name, window, limit);
    return items.map(({ key, dueAt, attempts, since }) => {
      const schedule = timerSchedule(key);
      const { namespace } = schedule;
      return {
        kind: 'schedule',
        id: schedule.name,
        namespace,
        name: schedule.name,
        state: 'firing',
        since,
        until: dueAt,
        tries: attempts,
      };
    });
  },
};
