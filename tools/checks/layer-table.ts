/**
 * "Who may import whom" of docs/architecture.md as data. A layer is a folder of packages/server/src, named by its path;
 * `*` stands for one folder; a single file may be a layer too. The first row whose path matches a file is its layer, so narrow rows come first.
 */
export interface LayerRow {
  readonly layer: string;
  /**
   * Layers it may import in addition to itself. `x:contract` allows only contract files of x, `x:types` only `import type`;
   * `api` is the package of generated messages; `*` is everything.
   */
  readonly mayImport: readonly string[];
  /** npm packages it may import; absent when the architecture does not limit them. */
  readonly libraries?: readonly string[];
}

const engine = ['base', 'store/contracts', 'store/migrations', 'store/rows'];

/** Rows in the order in which they are matched. */
export const layerTable: readonly LayerRow[] = [
  { layer: 'base', mayImport: [], libraries: [] },
  { layer: 'resources', mayImport: ['base', 'api'] },
  { layer: 'store/contracts', mayImport: ['base', 'resources'], libraries: [] },
  { layer: 'streams', mayImport: ['base', 'resources', 'store/contracts'], libraries: [] },
  { layer: 'store/migrations', mayImport: ['base', 'store/contracts'], libraries: [] },
  { layer: 'store/rows', mayImport: ['base', 'store/contracts'], libraries: [] },
  { layer: 'store/sqlite', mayImport: engine, libraries: ['sqlite-vec'] },
  { layer: 'store/postgres', mayImport: engine, libraries: ['pg', 'pg-protocol'] },
  { layer: 'store/bus/*', mayImport: engine },
  { layer: 'store/blobs/s3', mayImport: engine, libraries: ['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'] },
  { layer: 'store/blobs/*', mayImport: engine, libraries: [] },
  { layer: 'models', mayImport: ['base'] },
  { layer: 'protocols', mayImport: ['base'] },
  { layer: 'sandbox', mayImport: ['base'] },
  { layer: 'tools', mayImport: ['base', 'resources', 'protocols:contract', 'sandbox:contract'] },
  { layer: 'controllers', mayImport: ['base', 'resources', 'store/contracts'] },
  {
    layer: 'runtime',
    mayImport: [
      'base',
      'api:types',
      'resources',
      'store/contracts',
      'streams',
      'models:contract',
      'tools:contract',
      'protocols:contract',
      'sandbox:contract',
    ],
  },
  { layer: 'auth', mayImport: ['base', 'api', 'resources', 'store/contracts'] },
  { layer: 'operations', mayImport: ['base', 'api', 'auth'] },
  { layer: 'idempotency', mayImport: ['base', 'auth', 'resources', 'store/contracts'] },
  {
    layer: 'features/module-contract.ts',
    mayImport: [
      'operations',
      'controllers:contract',
      'tools:contract',
      'features/trail-source.ts',
      'features/claim-source.ts',
    ],
  },
  { layer: 'features/trail-source.ts', mayImport: ['store/contracts'] },
  { layer: 'features/claim-source.ts', mayImport: ['store/contracts'] },
  {
    layer: 'features/*/*',
    mayImport: [
      'base',
      'api',
      'resources',
      'auth',
      'features/module-contract.ts',
      'features/trail-source.ts',
      'features/claim-source.ts',
      'operations',
      'idempotency',
      'store/contracts',
      'streams',
      'controllers:contract',
      'runtime:contract',
      'tools:contract',
      'protocols:contract',
      'sandbox:contract',
    ],
  },
  { layer: 'transport', mayImport: ['base', 'api', 'auth', 'operations'] },
  { layer: 'app', mayImport: ['*'] },
  { layer: 'main.ts', mayImport: ['app', 'base'] },
];

/** Folders outside the server and the workspace packages each may import; `dynamic:` allows only `import()`. */
export const packageTable: Readonly<Record<string, readonly string[]>> = {
  'packages/api': [],
  'packages/server': ['@svc/api'],
  'packages/client': ['@svc/api'],
  'packages/cli': ['@svc/api', '@svc/client', 'dynamic:@svc/connectors', 'dynamic:@svc/server'],
  'packages/connectors': ['@svc/api'],
  'packages/console': ['@svc/api', '@svc/client'],
  'packages/widget': ['@svc/client'],
  e2e: ['@svc/api', '@svc/client', '@svc/widget'],
  bench: ['@svc/api', '@svc/client'],
  tools: ['@svc/api'],
};
