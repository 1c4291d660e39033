import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take longest, the longest first, without folder and `.test.ts`. The order of a run matters, the exact times
 * do not: a file of a minute that begins last leaves every processor but one idle.
 */
export const longest: readonly string[] = [
  'crawl-admin',
  'crawl',
  'screens',
  'first-hour',
  'outage',
  'turn-points',
  'access-matrix',
  'life',
  'widget',
  'deployment-crashes',
  'differential',
  'resource-writers',
  'malformed-input',
  'resource-round-trips',
  'store-points',
  'sync-points',
  'sqlite-store',
  'postgres-store',
  'postgres',
  'upkeep',
  'namespace-operations',
  'command-line-manifests',
  'command-line',
  'crash-sweep',
  'simulation',
  'store-failures',
  'asked-people',
  'move-engines',
  'channel-operations',
  'conformance',
  'random-schedules',
  'broken-streams',
  'mcp-sign-in',
  'harnesses',
  'readers-under-failure',
  'waiting-and-steering',
  'abandoned-work',
  'schedule-firing',
  'channel-streams',
  'parse-manifests',
  'round-trip',
  'backup',
  'mcp-tasks',
  'delegation',
  'peers',
  'docker-provider',
  'live-stream',
  'harness-turns',
  'connector',
  'trip',
  'failures',
  'unread-body',
  's3-blobs',
  'uploads',
  'postgres-copies',
  'local-provider',
  'tls',
  'first-contact',
  'log-frontier',
  'deployments',
  'resource-operations',
  'kept-uids',
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
