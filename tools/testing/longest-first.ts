import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take longest, the longest first, without folder and `.test.ts`. The order of a run matters, the exact times
 * do not: a file of a minute that begins last leaves every processor but one idle.
 */
export const longest: readonly string[] = [
  'turn-points',
  'store-points',
  'sync-points',
  'move-engines',
  'resource-round-trips',
  'first-hour',
  'asked-people',
  'differential',
  'postgres',
  'postgres-store',
  'command-line-manifests',
  'resource-writers',
  'access-matrix',
  'harnesses',
  'command-line',
  'readers-under-failure',
  'waiting-and-steering',
  'abandoned-work',
  'backup',
  'malformed-input',
  'upkeep',
  'conformance',
  'mcp-tasks',
  'simulation',
  'delegation',
  'peers',
  'random-schedules',
  'docker-provider',
  'live-stream',
  'harness-turns',
  'connector',
  'trip',
  'failures',
  'namespace-operations',
  'deployment-crashes',
  'crash-sweep',
  'unread-body',
  'round-trip',
  's3-blobs',
  'uploads',
  'postgres-copies',
  'local-provider',
  'broken-streams',
  'sqlite-store',
  'tls',
  'first-contact',
  'log-frontier',
  'deployments',
  'resource-operations',
  'kept-uids',
  'store-failures',
  'claims-and-leases',
  'write-runner',
  'apply-manifests',
  'stream-operations',
  'shutdown',
  'key-seal',
  'crash',
  'migrate',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = longest.indexOf(basename(moduleId, '.test.ts'));
  return rank === -1 ? longest.length : rank;
};

/** Begins a project with its longest files; the others follow in the order of vitest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inOrder = await super.sort(files);
    const projects = [...new Set(inOrder.map(({ project }) => project.name))];
    return projects.flatMap((name) =>
      inOrder.filter(({ project }) => project.name === name).sort((one, other) => rankOf(one) - rankOf(other)),
    );
  }
}
