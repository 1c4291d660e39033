const MIB = 1024 * 1024;
/** Processor time of `fixedWork` on the machine for which the budgets were set, on an ordinary day. */
const REFERENCE_MS = 120;
/** On a machine that is slower than this nothing can be said about stalls. */
const FACTOR_MAX = 3;
const RUNS = 5;

/** What servers do with large requests: memory that is written for the first time, JSON, base64. Answers its processor time. */
const fixedWork = (): number => {
  const before = process.threadCpuUsage();
  const text = JSON.stringify(Array.from({ length: 40_000 }, (_, index) => ({ name: `item-${index}`, at: index })));
  const items: unknown = JSON.parse(text);
  const bytes = Buffer.alloc(8 * MIB, text);
  const decoded = Buffer.from(bytes.toString('base64'), 'base64');
  if (!Array.isArray(items) || decoded.length !== bytes.length) throw new Error('the fixed work went wrong');
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

/** Times of the same work, in milliseconds, as a factor on the machine of the budgets: 1 for that one or a faster one. */
export const slowness = (timesMs: readonly number[]): number => {
  const middle = timesMs.toSorted((left, right) => left - right)[Math.floor(timesMs.length / 2)] ?? REFERENCE_MS;
  return Math.min(FACTOR_MAX, Math.max(1, middle / REFERENCE_MS));
};

/** How much slower this machine is at the moment than the one for which the budgets were set, from 1 to 3. */
export const machineSlowness = (): number => slowness(Array.from({ length: RUNS }, fixedWork));
