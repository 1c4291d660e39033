/**
 * Counts coverage as vitest's own provider does, but takes it once from each process of tests instead of after each file: to take
 * it costs up to 0.1 s of a process that has loaded the product, and what was taken is read and added up again at the end, on one
 * processor.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import v8 from '@vitest/coverage-v8';
import type { CoverageProvider, CoverageProviderModule } from 'vitest/node';

type TakeOptions = NonNullable<Parameters<NonNullable<CoverageProviderModule['takeCoverage']>>[0]>;
type SuiteRun = Parameters<CoverageProvider['onAfterSuiteRun']>[0];
type ReportContext = Parameters<CoverageProvider['generateCoverage']>[0];

/** How long a process may take to write down what it counted when vitest stops it. */
const WRITE_MS = 60_000;
const LOOK_MS = 20;

interface Counting {
  session?: Session;
  /** Where this process writes when it stops; known once its first file has run. */
  target?: { readonly path: string; readonly options: TakeOptions };
}

/** Of the process: a project that isolates its files loads this module again between the start of counting and its end. */
const shared = globalThis as { [key: symbol]: Counting | undefined };
const key = Symbol.for('svc.process-coverage');
const counting: Counting = shared[key] ?? {};
shared[key] = counting;

const isOurs = ({ url }: Profiler.ScriptCoverage): boolean =>
  url.startsWith('file://') && !url.includes('/node_modules/');

/** A session of the same thread answers before the call returns. */
const takeAll = (session: Session): readonly Profiler.ScriptCoverage[] => {
  let taken: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw new Error('coverage was not taken', { cause: error });
    taken = result;
  });
  return taken;
};

/** Under its name the file is always whole. */
const writeDown = (): void => {
  const { session, target } = counting;
  if (session === undefined || target === undefined) return;
  const { path, options } = target;
  const result = takeAll(session)
    .filter(isOurs)
    .map((script) => ({
      ...script,
      // How much vitest put before the source of a module.
      startOffset: options.moduleExecutionInfo?.get(fileURLToPath(script.url))?.startOffset ?? 0,
    }));
  writeFileSync(`${path}.part`, JSON.stringify({ result }));
  renameSync(`${path}.part`, path);
};

/** What vitest says to a process, whose answer it waits for before it ends it. */
const isStop = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop';

const startCoverage = (): void => {
  if (counting.session !== undefined) return;
  const session = new Session();
  counting.session = session;
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  process.on('message', (message) => {
    if (isStop(message)) writeDown();
  });
};

const takeCoverage = (options: TakeOptions | undefined): string => {
  if (options === undefined) throw new Error('vitest does not say where coverage goes');
  counting.target ??= { path: join(options.coverageFilesDirectory, `process-${process.pid}.json`), options };
  return counting.target.path;
};

/** The last processes stop while vitest adds up already. */
const written = async (path: string): Promise<void> => {
  for (let waited = 0; !existsSync(path); waited += LOOK_MS) {
    if (waited > WRITE_MS) throw new Error(`a process of tests ended without its coverage: ${path}`);
    await setTimeout(LOOK_MS);
  }
};

const getProvider = async (): Promise<CoverageProvider> => {
  const provider: CoverageProvider = await v8.getProvider();
  const { onAfterSuiteRun, generateCoverage, resolveOptions } = provider;
  const paths = new Set<string>();
  return Object.assign(provider, {
    /** Test files of one process name the same file: kept under that name, it is read once. */
    onAfterSuiteRun: (run: SuiteRun) => {
      const path = String(run.coverage);
      paths.add(path);
      return onAfterSuiteRun.call(provider, { ...run, testFiles: [path] });
    },
    generateCoverage: async (context: ReportContext) => {
      await Promise.all([...paths].map(written));
      return generateCoverage.call(provider, context);
    },
    /** Processes of tests learn from this which provider theirs is. */
    resolveOptions: () => ({
      ...resolveOptions.call(provider),
      provider: 'custom' as const,
      customProviderModule: fileURLToPath(import.meta.url),
    }),
  });
};

const provider: CoverageProviderModule = { startCoverage, takeCoverage, getProvider };

// biome-ignore lint/style/noDefaultExport: vitest takes the default export of a provider.
export default provider;
