import process from 'node:process';
import { defineConfig } from 'vitest/config';
import { locate, services } from './tools/bootstrap/services.mjs';

/** Set by tools/checks/run.mjs: the floors only mean something when every test ran, not for one folder. */
const isFullCheck = process.env['SVC_FULL_CHECK'] === '1';

const everything = { statements: 100, branches: 100, functions: 100, lines: 100 };
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

/** Tests of the app that say themselves which store they run on, or need none: the same on any other. */
const storeOfTheirOwn = [
  ...['access-matrix', 'access-streams', 'every-kind', 'file-transfers', 'kind-statuses', 'memory-governor'],
  ...['object-backend', 'observability', 'postgres', 'retention', 'round-trip', 'usage-on-postgres'],
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          environment: 'node',
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          testTimeout: 20_000,
          include: ['packages/*/src/**/*.test.ts', 'tools/**/*.test.ts', 'bench/**/*.test.ts'],
        },
      },
      {
        // The suites of the whole server once more, on PostgreSQL.
        test: {
          name: 'postgres',
          environment: 'node',
          globalSetup: ['packages/server/src/store/postgres/testing/global-setup.ts'],
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          include: runsPostgres ? ['packages/server/src/app/*.test.ts'] : [],
          exclude: storeOfTheirOwn.map((name) => `packages/server/src/app/${name}.test.ts`),
        },
      },
      {
        test: {
          name: 'e2e',
          environment: 'node',
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          include: ['e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Crashes and every protocol once more, on PostgreSQL.
        test: {
          name: 'e2e-postgres',
          environment: 'node',
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          env: { SVC_E2E_STORE: 'postgres' },
          include: runsPostgres
            ? [
                'e2e/crash/{many-turns,shutdown,waiting-and-steering}.test.ts',
                'e2e/transports/*.test.ts',
                'e2e/{access,api-keys,http-surface,standard-services,use-chat}.test.ts',
              ]
            : [],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Death at every fault point once more, on PostgreSQL: mostly waits for processes that start, so files side by side.
        test: {
          name: 'crash-postgres',
          environment: 'node',
          setupFiles: ['tools/testing/random-seed.ts', 'tools/testing/temporary-folder.ts'],
          env: { SVC_E2E_STORE: 'postgres' },
          include: runsPostgres ? ['e2e/crash/{store,sync,turn}-points.test.ts'] : [],
          testTimeout: 240_000,
          hookTimeout: 60_000,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      reportsDirectory: 'coverage',
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
      ],
      ...(isFullCheck ? { thresholds: floors } : {}),
    },
  },
});
