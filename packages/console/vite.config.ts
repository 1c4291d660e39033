import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

/** The server that the pages of the development server talk to. */
const server = process.env['SVC_SERVER'] ?? 'http://127.0.0.1:7420';

const EACH_VISIT: ReadonlySet<string> = new Set(['index', 'libraries', 'api', 'frame', 'parts']);

/** What the first screen waits for: the files of every visit, and the screen itself. */
const isAwaited = (name: string): boolean => EACH_VISIT.has(name) || name.endsWith('-page');

/**
 * Lets Chromium compile the functions of these files while they arrive, next to the main thread, instead of each one when it is
 * first called: the first comment of a file asks for it (V8, explicit compile hints). Nearly all functions of these files are called at once.
 */
const compileEarly: Plugin = {
  name: 'compile-early',
  generateBundle: {
    // Vite writes a line of its own to the top before.
    order: 'post',
    handler: (_options, bundle) => {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk' && isAwaited(file.name)) file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
    },
  },
};

/** Static files for the server package; `vite` in this folder serves the sources and passes everything else to a running svc. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [compileEarly],
  build: {
    target: 'es2022',
    // Data URLs would need another rule of the Content-Security-Policy for each kind of file.
    assetsInlineLimit: 0,
    outDir: fileURLToPath(new URL('../../dist/console', import.meta.url)),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What every visit needs comes in few files, not in one for each set of screens that share something.
        codeSplitting: {
          groups: [
            {
              name: 'libraries',
              tags: ['$initial'],
              test: /node_modules\/(react|scheduler|@tanstack|@bufbuild|@base-ui)/,
            },
            { name: 'api', tags: ['$initial'], test: /packages\/(api|client)\// },
            // Without what opens on demand: its library is large.
            {
              name: 'frame',
              tags: ['$initial'],
              test: /console\/src\/(?!ui\/(menu|copy-menu|confirm))/,
              minShareCount: 2,
            },
            // What most screens need: small parts, and those with a library.
            {
              name: 'parts',
              test: /console\/src\/(api|live|ui\/(badge|copy-text|facts|json-view|listing|markdown(\.tsx|\/markdown\.module|\/safe-address)|picture|pixel-picture|save-as|value-lines))/,
            },
            {
              name: 'controls',
              test: /@base-ui|@floating-ui|@tanstack\/(react-virtual|virtual-core)|console\/src\/ui\/(menu|copy-menu|confirm)/,
            },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '^/(v1|version|healthz|readyz|metrics|openapi\\.json|svc\\.)': { target: server } },
  },
});
