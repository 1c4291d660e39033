import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { root } from './tools/bootstrap/install.mjs';
import { locate, services } from './tools/bootstrap/services.mjs';
import { chromiumPath } from './tools/testing/chromium.ts';
import { LongestFirst } from './tools/testing/longest-first.ts';
import { crashesOnPostgres, endToEndOnPostgres, storeTests } from './tools/testing/store-tests.ts';

/** Set by tools/checks/run.mjs: the floors only mean something when every test ran, not for one folder. */
const isFullCheck = process.env['SVC_FULL_CHECK'] === '1';

/** Of each file, so that what vitest says of a lost floor names the file. */
const everything = { statements: 100, branches: 100, functions: 100, lines: 100, perFile: true };
/** docs/decisions/0005-coverage.md */
const floors = {
  statements: 90,
  branches: 90,
  functions: 90,
  lines: 90,
  'packages/server/src/base/**': everything,
  'packages/server/src/resources/**': everything,
  'packages/server/src/**/*-rules.ts': everything,
};

/** Left out where PostgreSQL is not installed; with CI=true its absence is a failure. */
const postgres = services.find(({ name }) => name === 'postgresql');
const runsPostgres = process.env['CI'] === 'true' || (postgres !== undefined && locate(postgres) !== undefined);

/** Left out where no Chromium is installed; with CI=true its absence is a failure. */
const runsChromium = process.env['CI'] === 'true' || chromiumPath() !== undefined;

/** Tests of the app that say themselves which store they run on, or need none: the same on any other. */
const storeOfTheirOwn = [
  'access-matrix',
  'access-streams',
  'every-kind',
  'file-transfers',
  'kind-statuses',
  'memory-governor',
  'object-backend',
  'observability',
  'postgres',
  'process-memory',
  'retention',
  'round-trip',
  'usage-on-postgres',
];

/** Tests of the app about what a body says, what a protocol carries, or what is declared. */
const aboutNoStore = [
  'body-forms',
  'declared-operations',
  'kind-registry',
  'mcp-conformance',
  'oversize',
  'rest-bodies',
];

/**
 * Tests that use the profiler of V8. Closing a session of the profiler ends the counting of coverage in the whole process, so
 * they do not share theirs with others.
 */
const endCoverage = ['packages/server/src/app/telemetry/profile-route.test.ts'];

/**
 * Random and complete sweeps, which do the same thousands of times: counting each branch they take would double their time, and what they
 * alone reach is little.
 */
const sweeps = [
  'packages/server/src/app/access-matrix.test.ts',
  'packages/server/src/app/malformed-input.test.ts',
  'packages/server/src/app/resource-round-trips.test.ts',
  'packages/server/src/app/resource-writers.test.ts',
  'packages/server/src/app/upkeep/move-engines.test.ts',
  'packages/server/src/features/coordination/schedules/firing/random-schedules.test.ts',
  'packages/server/src/runtime/asked-people.test.ts',
  'packages/server/src/runtime/simulation.test.ts',
];

/** Makes the program that tests with real processes run. */
const program = ['tools/testing/bundled-program.ts'];

/** How long what is asked again and again may take; vitest's own second is too short for a busy machine. */
const expectations = { poll: { timeout: 60_000 } };

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        // Files share the process of their worker and what it has loaded (also below): loading the product anew for each of
        // four hundred files takes two thirds of the run. What must not be loaded yet is tested in a process of its own.
        test: {
          name: 'unit',
          environment: 'node',
          expect: expectations,
          isolate: false,
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          // Ends a test that hangs. Twice what the longest takes on a busy machine; a test that needs more sets its own.
          testTimeout: 120_000,
          // Dropping a database took over ten seconds on a busy machine.
          hookTimeout: 60_000,
          include: ['packages/*/src/**/*.test.{ts,tsx}', 'tools/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...endCoverage, ...sweeps],
        },
      },
      {
        test: {
          name: 'unit-isolated',
          environment: 'node',
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          include: endCoverage,
        },
      },
      {
        test: {
          name: 'sweeps',
          environment: 'node',
          expect: expectations,
          isolate: false,
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          include: sweeps,
        },
      },
      {
        // The suites of the whole server, and of every part of it that keeps something, once more on PostgreSQL.
        test: {
          name: 'postgres',
          environment: 'node',
          // On a busy machine eight turns took over ten seconds to move to another worker.
          expect: { poll: { timeout: 120_000 } },
          isolate: false,
          globalSetup: ['packages/server/src/store/postgres/testing/global-setup.ts'],
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          // 64 conditional writers of one agent took 44 s on one day and 87 s on a slower one: room, so that speed fails no test.
          testTimeout: 240_000,
          hookTimeout: 120_000,
          include: runsPostgres ? ['packages/server/src/app/*.test.ts', ...storeTests(root)] : [],
          exclude: [...storeOfTheirOwn, ...aboutNoStore].map((name) => `packages/server/src/app/${name}.test.ts`),
        },
      },
      {
        test: {
          name: 'e2e',
          environment: 'node',
          globalSetup: program,
          isolate: false,
          expect: expectations,
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          include: ['e2e/**/*.test.ts'],
          exclude: ['e2e/attack/**', 'e2e/browser/**'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Hostile callers against a real process: nothing may end it or hold it up. One file at a time, so that no
        // other test of ours is what holds it up.
        test: {
          name: 'attack',
          environment: 'node',
          globalSetup: program,
          isolate: false,
          expect: expectations,
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          include: ['e2e/attack/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // The console in a real browser, against real processes.
        test: {
          name: 'browser',
          environment: 'node',
          globalSetup: [...program, 'tools/testing/shared-browser.ts'],
          expect: expectations,
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          include: runsChromium ? ['e2e/browser/**/*.test.ts'] : [],
          // The tour by keyboard took 77 s with five files at once.
          testTimeout: 240_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Once more on PostgreSQL: crashes, and what else rests on the engine.
        test: {
          name: 'e2e-postgres',
          environment: 'node',
          globalSetup: program,
          isolate: false,
          expect: expectations,
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          env: { SVC_E2E_STORE: 'postgres' },
          include: runsPostgres ? [...endToEndOnPostgres] : [],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Death at every fault point once more, on PostgreSQL: mostly waits for processes that start, so files side by side.
        test: {
          name: 'crash-postgres',
          environment: 'node',
          globalSetup: program,
          isolate: false,
          expect: expectations,
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          env: { SVC_E2E_STORE: 'postgres' },
          include: runsPostgres ? [...crashesOnPostgres] : [],
          testTimeout: 240_000,
          hookTimeout: 60_000,
        },
      },
    ],
    coverage: {
      provider: 'custom',
      customProviderModule: 'tools/testing/process-coverage.ts',
      reportsDirectory: 'coverage',
      // A failed test would hide that too little is tested.
      reportOnFailure: true,
      reporter: ['text-summary', ['text', { skipFull: true }], 'lcovonly'],
      include: ['packages/*/src/**/*.ts'],
      exclude: [
        '**/*.test.ts',
        '**/testing/**',
        '**/conformance/**',
        '**/gen/**',
        '**/generated/**',
        '**/*_pb.*',
        '**/*.d.ts',
        // What a browser runs, which the browser suite drives; its plain rules have unit tests beyond the floor.
        'packages/console/src/**',
        'packages/widget/src/{dom,element,view}/**',
      ],
      ...(isFullCheck ? { thresholds: floors } : {}),
    },
  },
});
