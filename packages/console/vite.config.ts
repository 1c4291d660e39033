import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The server that the pages of the development server talk to. */
const server = process.env['SVC_SERVER'] ?? 'http://127.0.0.1:7420';

/** Static files for the server package; `vite` in this folder serves the sources and passes everything else to a running svc. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
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
            { name: 'libraries', tags: ['$initial'], test: /node_modules\/(react|scheduler|@tanstack|@bufbuild)/ },
            { name: 'api', tags: ['$initial'], test: /packages\/(api|client)\// },
            // Without what opens on demand: its library is large.
            {
              name: 'frame',
              tags: ['$initial'],
              test: /console\/src\/(access|api|keys|live|ui\/(?!menu|copy-menu|confirm))|@base-ui/,
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
