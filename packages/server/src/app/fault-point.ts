/**
 * Crash hook of the e2e suites: `SVC_FAULT_POINT=before-final:2` kills the process with SIGKILL when it passes that point
 * for the second time. Without the variable it does nothing.
 */
export const createFaultPoint = (wanted: string | undefined): ((point: string) => void) => {
  if (wanted === undefined || wanted === '') return () => undefined;
  const [name, count = '1'] = wanted.split(':');
  let left = Number(count);
  return (point) => {
    if (point !== name) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
};
