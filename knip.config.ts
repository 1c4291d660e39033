/**
 * What counts as used. `knip` finds what no other file imports, tests included; `knip --production` leaves tests out and so
 * finds what production code no longer calls and only tests keep alive. An export that is meant for tests alone says
 * `@internal` and why.
 */
import type { KnipConfig } from 'knip';

const notTests = ['!src/**/*.test.{ts,tsx}!', '!src/**/{testing,conformance}/**!'];

export default ({ production = false }: { readonly production?: boolean }): KnipConfig => ({
  ignoreDependencies: ['@bufbuild/buf', '@modelcontextprotocol/conformance', 'conformance-2026', 'gpt-tokenizer'],
  ignoreBinaries: ['apt-cache', 'patch', 'taskset', 'unshare'],
  // Tests may name what its own file uses, such as a limit, and the types of what they hand to the code under test. Types that
  // the exports of their file mention may be exported: declarations of published packages have to name them elsewhere.
  ignoreExportsUsedInFile: production ? true : { interface: true, type: true },
  exclude: production ? ['types'] : [],
  workspaces: {
    // Tools and tests, which are not production.
    '.': {
      entry: [
        'tools/bootstrap/*.mjs',
        'tools/checks/run.mjs',
        'tools/generate/*.mjs',
        'bench/*.{ts,mjs}',
        // Bundled for a page of a test.
        'e2e/browser/embedding/react-page.ts',
        // What `npm start` calls.
        'tools/build/bundle.mjs!',
        'tools/build/console-build.mjs!',
      ],
      project: ['tools/**/*.{ts,mjs}', 'e2e/**/*.ts', 'bench/**/*.{ts,mjs}'],
    },
    'packages/api': { entry: ['src/*.ts!'], project: ['src/**/*.ts!', ...notTests] },
    'packages/server': {
      entry: [
        'src/store/sqlite/testing/crash-writer.ts',
        'src/**/*-worker.ts!',
        // Becomes a program of its own, which sandboxes run.
        'src/protocols/acp/demo-agent/demo-program.ts!',
        // Writes docs/configuration.md when it is run by hand.
        'src/app/config/configuration-doc.ts!',
      ],
      project: ['src/**/*.ts!', ...notTests],
    },
    'packages/client': { project: ['src/**/*.ts!', ...notTests] },
    'packages/connectors': { project: ['src/**/*.ts!', ...notTests], ignoreDependencies: ['chat'] },
    // Pages that use the wrapper for React bring React along.
    'packages/widget': { project: ['src/**/*.{ts,tsx}!', ...notTests], ignoreDependencies: ['react'] },
    'packages/console': { project: ['src/**/*.{ts,tsx}!', ...notTests] },
    'packages/cli': { project: ['src/**/*.ts!', ...notTests] },
  },
});
