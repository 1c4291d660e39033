/**
 * The checks behind `npm test`, in the order they run: cheap ones first. One check is one function that answers with
 * numbers; how they are run, timed and added up is in run-checks.ts.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { checkProofs } from '../proofs/check-proofs.ts';
import { chooseBase, extractContract, gitIn } from './breaking-base.ts';
import { type CommandOutcome, runCommand } from './command.ts';
import { runTests, type TestRun } from './suites/vitest-run.ts';

/** What the checks work on: the checkout, and the commands of services that tests declared and the machine has. */
export interface CheckContext {
  readonly root: string;
  readonly services: Readonly<Record<string, string>>;
  /** Tests that need a service are skipped: the machine lacks it. */
  readonly lacksServices: boolean;
  /** Names of the checks of this run. */
  readonly selected: readonly string[];
}

/** Numbers for the total; `output` is shown when something failed, `note` always. */
export interface CheckOutcome {
  readonly passed: number;
  readonly failed: number;
  readonly note?: string;
  readonly output?: string;
  /** What failed, by name and message; repeated at the very end, where a log that was cut still shows it. */
  readonly failures?: readonly string[];
}

/** One check. `name` selects it on the command line: `npm test -- types layers`. */
export interface Check {
  readonly name: string;
  /** Begins together with the check before it: it shows nothing while it runs, and neither minds the other. */
  readonly isJoining?: boolean;
  readonly run: (context: CheckContext) => Promise<CheckOutcome>;
}

const toolLimitMs = 5 * 60_000;
/** biome colours its output even in a file unless told not to. */
const colors = process.stdout.isTTY ? [] : ['--colors=off'];
const layersTest = 'tools/checks/layers.test.ts';
/** Test files side by side, one a processor; vitest keeps one processor free, which on a small machine is half of it. */
const everyProcessor = '--maxWorkers=100%';
/**
 * Tests that wait for processes, disks and clocks a fifth to a third of their time: three files for two processors. Not those on
 * PostgreSQL in the process, whose database takes the time that they wait.
 */
const everyProcess = `--maxWorkers=${Math.ceil(availableParallelism() * 1.5)}`;

/** Projects of vitest.config.ts, each with a check of its name. */
const projects = ['unit', 'sweeps', 'postgres', 'e2e', 'attack', 'browser', 'e2e-postgres', 'crash-postgres'];
const withProcesses: ReadonlySet<string> = new Set(['e2e', 'attack', 'browser', 'e2e-postgres', 'crash-postgres']);
/** Checks that run tests. */
export const testSuites: readonly string[] = ['layers', ...projects];

/** All checks in order. Those that only read the checkout leave each other processor time: they begin together. */
export const checks: readonly Check[] = [
  { name: 'format-lint', run: (context) => tool(context, 'biome', ['ci', '--error-on-warnings', ...colors, '.']) },
  { name: 'types', isJoining: true, run: types },
  { name: 'unused-code', isJoining: true, run: unusedCode },
  { name: 'buf-lint', isJoining: true, run: (context) => tool(context, 'buf', ['lint']) },
  { name: 'buf-breaking', isJoining: true, run: breaking },
  { name: 'generated-code', isJoining: true, run: regenerate },
  {
    name: 'layers',
    run: (context) => tests(context, { report: 'layers', parameters: ['--project', 'unit', layersTest] }),
  },
  { name: 'unit', run: unitTests },
  ...projects.filter((name) => name !== 'unit').map(projectTests),
  { name: 'proofs', run: proofs },
];

/** After the suites, whose reports it reads. */
async function proofs({ root, selected, lacksServices }: CheckContext): Promise<CheckOutcome> {
  return checkProofs({ root, suites: testSuites, ran: selected, lacksServices });
}

/** The tests of a project of vitest.config.ts, under its name. */
function projectTests(name: string): Check {
  const workers = withProcesses.has(name) ? everyProcess : everyProcessor;
  return { name, run: (context) => tests(context, { report: name, parameters: ['--project', name, workers] }) };
}

/** Programs of their own for the compiler: code for browsers has other globals. */
const typePrograms = ['.', 'packages/console', 'packages/widget', 'e2e/browser'];

async function types(context: CheckContext): Promise<CheckOutcome> {
  const present = typePrograms.filter((folder) => existsSync(join(context.root, folder, 'tsconfig.json')));
  const outcomes: CheckOutcome[] = [];
  for (const folder of present) outcomes.push(await tool(context, 'tsc', ['--project', folder]));
  return {
    passed: outcomes.filter(({ failed }) => failed === 0).length,
    failed: outcomes.filter(({ failed }) => failed > 0).length,
    output: outcomes.map(({ output = '' }) => output).join(''),
  };
}

/** What nothing uses, then what only tests use; a tag of what is used by now fails too (knip.config.ts). */
async function unusedCode(context: CheckContext): Promise<CheckOutcome> {
  const parameters = ['--no-progress', '--treat-tag-hints-as-errors'];
  const everything = await tool(context, 'knip', parameters);
  return everything.failed > 0 ? everything : tool(context, 'knip', [...parameters, '--production']);
}

/** A tool that npm installed; its exit code decides, and it counts as one test. */
async function tool(context: CheckContext, name: string, parameters: readonly string[]): Promise<CheckOutcome> {
  const program = join(context.root, 'node_modules', '.bin', name);
  return verdict(await runCommand(program, parameters, { directory: context.root, limitMs: toolLimitMs }));
}

function verdict(outcome: CommandOutcome): CheckOutcome {
  if (outcome.exitCode === 0) return { passed: 1, failed: 0 };
  const reason = outcome.killed === undefined ? {} : { note: outcome.killed };
  return { passed: 0, failed: 1, output: outcome.output, ...reason };
}

async function breaking(context: CheckContext): Promise<CheckOutcome> {
  const base = chooseBase(gitIn(context.root));
  if ('reason' in base) return { passed: 0, failed: 0, note: `not run: ${base.reason}` };
  const directory = mkdtempSync(join(tmpdir(), 'svc-contract-'));
  try {
    extractContract(context.root, base.commit, directory);
    const outcome = await tool(context, 'buf', ['breaking', '--against', directory]);
    return { ...outcome, note: `against ${base.commit.slice(0, 9)}` };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function regenerate(context: CheckContext): Promise<CheckOutcome> {
  const check = async (program: string): Promise<CheckOutcome> => {
    const parameters = [join('tools', 'generate', program), '--check'];
    return verdict(await runCommand(process.execPath, parameters, { directory: context.root, limitMs: toolLimitMs }));
  };
  const contract = await check('generate.mjs');
  return contract.failed > 0 ? contract : check('demo-agent.mjs');
}

/** The floors of vitest.config.ts count as a test of their own, so that "0 failed" cannot hide a lost floor. */
async function unitTests(context: CheckContext): Promise<CheckOutcome> {
  const parameters = [
    '--project',
    'unit',
    '--project',
    'unit-isolated',
    '--exclude',
    layersTest,
    '--coverage',
    everyProcess,
  ];
  const run = await tests(context, { report: 'unit', parameters, environment: { SVC_FULL_CHECK: '1' } });
  return run.failed > 0 ? run : { ...run, passed: run.passed + 1 };
}

async function tests(context: CheckContext, run: TestRun): Promise<CheckOutcome> {
  return runTests(context.root, { ...run, environment: { ...serviceVariables(context.services), ...run.environment } });
}

/** Tests learn where a declared service is from SVC_SERVICE_<NAME>; unset means that it is not there. */
function serviceVariables(services: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(services).map(([name, path]) => [`SVC_SERVICE_${name.toUpperCase()}`, path]),
  );
}
