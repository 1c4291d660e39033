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

/**
 * Tests with a real process that run on PostgreSQL once more: those whose outcome rests on what the engine keeps, orders or gives
 * back, after a crash, to who resumes, to several nodes. Operations themselves run on both engines in one process (`postgres` in
 * vitest.config.ts), so a command line, a protocol or a sign-in need not meet both; docs/postgresql.md names what is left out.
 */
export const endToEndOnPostgres: readonly string[] = [
  // Processes die, and what they acknowledged is there.
  'e2e/crash/{conversation,harness,many-turns,shutdown,sign-in,trip,waiting-and-steering}.test.ts',
  'e2e/{api-keys,connector,data-tools,deployments,reasoning,use-chat}.test.ts',
  // Readers lose their place, their node and their network, and see everything once, in order.
  'e2e/streams/readers-under-failure.test.ts',
  'e2e/transports/session-streams.test.ts',
  // What is given back is what was given: uids, prompts byte for byte, files.
  'e2e/{kept-uids,prompt,s3,uploads}.test.ts',
];

/** Death at every fault point, on PostgreSQL. */
export const crashesOnPostgres: readonly string[] = ['e2e/crash/{store,sync,turn}-points.test.ts'];
