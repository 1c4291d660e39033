import { readFileSync } from 'node:fs';
import process from 'node:process';

type FaultPoint = (point: string) => void;

const nowhere: FaultPoint = () => undefined;
const PLAN_FILE = /^(?:store\.)?@(.+)$/;

/**
 * Crash hook of the e2e suites: `SVC_FAULT_POINT=before-final:2` kills the process with SIGKILL when it passes that point
 * for the second time. With `@/path` the plan is read from that file at every SIGUSR2, takes the place of the former one and counts
 * from then on, which the process says on standard error: one process meets plan after plan, and what it had to finish before is
 * not part of them. `store.@/path` is for plans that may name points of the store, which it passes only then. Without the variable, or
 * with an empty plan, it does nothing.
 */
export const createFaultPoint = (wanted: string | undefined): FaultPoint => {
  const [, file] = PLAN_FILE.exec(wanted ?? '') ?? [];
  if (file === undefined) return killAt(wanted ?? '');
  let current = nowhere;
  process.on('SIGUSR2', () => {
    const plan = readFileSync(file, 'utf8');
    current = killAt(plan);
    process.stderr.write(`counting the passings of ${plan || 'nothing'}\n`);
  });
  return (point) => current(point);
};

const killAt = (plan: string): FaultPoint => {
  if (plan === '') return nowhere;
  const [name, count = '1'] = plan.split(':');
  let left = Number(count);
  return (point) => {
    if (point !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
};
