import { loadSources } from '../checks/source-files.ts';
import { Importers } from '../proofs/importers.ts';

const server = 'packages/server/src/';
/** Opens the store of a test on the engine that a run is about. */
const helper = `${server}store/testing/given-store.ts`;

/**
 * Test files of the server whose store is opened by the helper, so that they run on either engine; found by what they import,
 * so that a new one is never forgotten. Those of the whole server (`app`) choose their engine themselves.
 */
export const storeTests = (root: string): readonly string[] =>
  [...new Importers(loadSources(root)).testsOf(helper)].filter((path) => !path.startsWith(`${server}app/`)).sort();

/** Tests with a real process that run on PostgreSQL once more; those that this leaves out are named in docs/postgresql.md. */
export const endToEndOnPostgres: readonly string[] = [
  'e2e/crash/{conversation,harness,many-turns,shutdown,sign-in,trip,waiting-and-steering}.test.ts',
  'e2e/{streams,transports}/**/*.test.ts',
  'e2e/{access,api-keys,command-line,command-line-manifests,command-line-streams,completion,connector,data-tools,deployments,first-contact}.test.ts',
  'e2e/{http-surface,kept-uids,prompt,reasoning,reload,s3,standard-services,uploads,use-chat}.test.ts',
];

/** Death at every fault point, on PostgreSQL. */
export const crashesOnPostgres: readonly string[] = ['e2e/crash/{store,sync,turn}-points.test.ts'];
