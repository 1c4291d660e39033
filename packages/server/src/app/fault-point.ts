import process from 'node:process';

/**
 * Crash hook of the e2e suites: `SVC_FAULT_POINT=before-final:2` kills the process with SIGKILL when it passes that point
 * for the second time. `before-final:2:signal` counts from SIGUSR2 on, and says on standard error that it does: what the process
 * has to finish before is not part of the plan. Without the variable it does nothing.
 */
export const createFaultPoint = (wanted: string | undefined): ((point: string) => void) => {
  if (wanted === undefined || wanted === '') return () => undefined;
  const [name, count = '1', begin] = wanted.split(':');
  let left = Number(count);
  let isCounting = begin !== 'signal';
  if (!isCounting)
    process.once('SIGUSR2', () => {
      isCounting = true;
      process.stderr.write(`counting the passings of ${name}\n`);
    });
  return (point) => {
    if (!isCounting || point !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
};
