import type { Check, CheckContext, CheckOutcome } from './check-list.ts';

/** What a run needs from outside: a clock in milliseconds and a place for lines. */
interface RunHost {
  readonly now: () => number;
  readonly print: (line: string) => void;
}

/** Sum over all checks; `failed` above 0 means that `npm test` fails. */
interface RunTotals {
  readonly passed: number;
  readonly failed: number;
}

/**
 * Runs checks one after the other, those that may run together with the one before them in one go; all of them even when one fails.
 * Prints a line with its time after each, in the given order. The output of a failed check comes directly before its line; the table
 * and the sum are repeated at the end.
 */
export async function runChecks(selected: readonly Check[], context: CheckContext, host: RunHost): Promise<RunTotals> {
  const lines: string[] = [];
  const failures: string[] = [];
  let totals: RunTotals = { passed: 0, failed: 0 };
  for (const group of groupsOf(selected)) {
    const running = group.map((check) => ({ name: check.name, ended: timed(check, context, host) }));
    for (const { name, ended } of running) {
      host.print(`--- ${name}`);
      const { outcome, elapsedMs } = await ended;
      if (outcome.failed > 0 && outcome.output) host.print(outcome.output.trimEnd());
      const line = summarize(name, outcome, elapsedMs);
      host.print(line);
      lines.push(line);
      failures.push(...(outcome.failures ?? []).map((failure) => `${name}: ${failure}`));
      totals = { passed: totals.passed + outcome.passed, failed: totals.failed + outcome.failed };
    }
  }
  if (failures.length > 0) host.print('\n--- what failed');
  for (const failure of failures) host.print(failure);
  host.print('\n--- all checks');
  for (const line of lines) host.print(line);
  return totals;
}

/** Checks that begin together. */
function groupsOf(selected: readonly Check[]): readonly (readonly Check[])[] {
  const groups: Check[][] = [];
  for (const check of selected) {
    const last = groups.at(-1);
    if (check.isJoining === true && last !== undefined) last.push(check);
    else groups.push([check]);
  }
  return groups;
}

async function timed(
  check: Check,
  context: CheckContext,
  { now }: RunHost,
): Promise<{ readonly outcome: CheckOutcome; readonly elapsedMs: number }> {
  const started = now();
  const outcome = await attempt(check, context);
  return { outcome, elapsedMs: now() - started };
}

/** The checks named on the command line in their usual order; none named means all. Throws for an unknown name. */
export function selectChecks(all: readonly Check[], names: readonly string[]): readonly Check[] {
  const unknown = names.find((name) => !all.some((check) => check.name === name));
  if (unknown !== undefined) {
    throw new Error(`no check is called "${unknown}"; there are: ${all.map((check) => check.name).join(', ')}`);
  }
  return names.length === 0 ? all : all.filter((check) => names.includes(check.name));
}

/** A check that throws has failed; it must not hide the ones after it. */
async function attempt(check: Check, context: CheckContext): Promise<CheckOutcome> {
  try {
    return await check.run(context);
  } catch (error) {
    return { passed: 0, failed: 1, output: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function summarize(name: string, outcome: CheckOutcome, elapsedMs: number): string {
  const seconds = `${(elapsedMs / 1000).toFixed(1)} s`.padStart(8);
  return `${name.padEnd(16)}${seconds}  ${describeState(outcome)}${outcome.note ? ` (${outcome.note})` : ''}`;
}

/** Never reads like the last line of the run, "n passed, n failed", which scripts look for. */
function describeState({ passed, failed }: CheckOutcome): string {
  if (failed > 0) return `FAILED ${failed} of ${passed + failed}`;
  return passed > 0 ? `ok ${passed}` : 'nothing to check';
}
