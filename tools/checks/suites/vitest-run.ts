import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type CommandOutcome, type CommandWatch, runCommand } from '../command.ts';
import { MemoryFolder } from '../memory-folder.ts';
import { readProgress, StillWatch, type TestProgress } from './test-progress.ts';
import { readReasons } from './vitest-output.ts';
import { readFailures, readTotals } from './vitest-report.ts';

/** A vitest run: `report` names its files in `.reports`, `parameters` are those of the command line; it is shown unless `isQuiet`. */
export interface TestRun {
  readonly report: string;
  readonly parameters: readonly string[];
  readonly isQuiet?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Numbers for the total; `note` is for the line of the check, `output` is printed above it, `failures` are the failed
 * tests by name, or why the run failed without one.
 */
interface TestRunOutcome {
  readonly passed: number;
  readonly failed: number;
  readonly failures?: readonly string[];
  readonly note?: string;
  readonly output?: string;
}

/** When a run is killed: at `limitMs`, or when it stood still for `patience` looks, one each `lookMs`. */
interface RunLimits {
  readonly limitMs: number;
  readonly lookMs: number;
  readonly patience: number;
}

/**
 * A run is stuck after five minutes: a test that only waits ends before by its own limit, and the longest that works takes
 * less than four. What is left holds its process, where the limit of a test does not reach it.
 */
const LIMITS: RunLimits = { limitMs: 30 * 60_000, lookMs: 10_000, patience: 30 };
const reporter = fileURLToPath(new URL('progress-reporter.ts', import.meta.url));

/**
 * Runs vitest. The numbers come from its JSON report, or without one from what was written down on the way; an exit code that
 * the numbers do not explain is one failure more.
 */
export async function runTests(root: string, run: TestRun, limits = LIMITS): Promise<TestRunOutcome> {
  const reports = join(root, '.reports');
  const reportFile = join(reports, `${run.report}.json`);
  const progressFile = join(reports, `${run.report}.progress`);
  mkdirSync(reports, { recursive: true });
  rmSync(reportFile, { force: true });
  writeFileSync(progressFile, '');
  using memory = new MemoryFolder();
  const progress = (): TestProgress => readProgress(readFileSync(progressFile, 'utf8'));
  const reporters = ['default', 'json', reporter].map((name) => `--reporter=${name}`);
  const command = await runCommand(
    process.execPath,
    [
      join(root, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--passWithNoTests',
      ...reporters,
      `--outputFile.json=${reportFile}`,
      ...run.parameters,
    ],
    {
      directory: root,
      limitMs: limits.limitMs,
      show: run.isQuiet !== true,
      environment: {
        ...run.environment,
        SVC_TEST_PROGRESS: progressFile,
        ...(memory.path === undefined ? {} : { SVC_TEST_MEMORY: memory.path }),
      },
      watch: watchFor(limits, progress),
    },
  );
  const report = existsSync(reportFile) ? readFileSync(reportFile, 'utf8') : undefined;
  return judgeRun(command, progress(), report);
}

function watchFor({ lookMs, patience }: RunLimits, progress: () => TestProgress): CommandWatch {
  const still = new StillWatch(patience);
  const reason = `stopped: no test ended for ${(patience * lookMs) / 1000} s`;
  const look = (): string | undefined => (still.isStill(progress()) ? reason : undefined);
  return { everyMs: lookMs, look };
}

/** What a run comes to. `report` is the text of its JSON report, if it wrote one. */
export function judgeRun(command: CommandOutcome, progress: TestProgress, report: string | undefined): TestRunOutcome {
  if (report === undefined) {
    const failed = progress.failed + Math.max(1, progress.open.length);
    const reason = command.killed ?? 'vitest ended without a report';
    return { passed: progress.passed, failed, ...describeOpen(progress, [reason, notBegun(progress)]) };
  }
  const totals = readTotals(report);
  const isUnexplained = command.exitCode !== 0 && totals.failed === 0;
  const notes = [
    command.killed ?? (isUnexplained ? 'an error outside the tests, or coverage below its floor' : ''),
    totals.skipped > 0 ? `${totals.skipped} skipped` : '',
  ];
  const isSilent = isUnexplained && command.killed === undefined;
  const failures = isSilent ? readReasons(command.output) : readFailures(report);
  return {
    passed: totals.passed,
    failed: isUnexplained ? 1 : totals.failed,
    ...(failures.length === 0 ? {} : { failures }),
    ...describeOpen(progress, notes),
  };
}

const notBegun = ({ planned, begun }: TestProgress): string =>
  planned > begun ? `${planned - begun} of ${planned} files not begun` : '';

/** The files that did not end, in the note by name and above it with how far they came. */
function describeOpen({ open }: TestProgress, notes: readonly string[]): { note?: string; output?: string } {
  const names = open.map(({ file }) => file).join(', ');
  const note = [...notes, names === '' ? '' : `not ended: ${names}`].filter((text) => text !== '').join('; ');
  const output = open.map(
    ({ file, tests, newest }) =>
      `${file} began and did not end; ${newest === undefined ? 'none of its tests did' : `${tests} of its tests did, the last: ${newest}`}`,
  );
  return { ...(note === '' ? {} : { note }), ...(output.length === 0 ? {} : { output: output.join('\n') }) };
}
