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
  'first-hour',
  'postgres-store',
  'command-line-manifests',
  'resource-writers',
  'command-line',
  'waiting-and-steering',
  'abandoned-work',
  'differential',
  'move-engines',
  'readers-under-failure',
  'failures',
  'deployment-crashes',
  'crash-sweep',
  'access-matrix',
  'first-contact',
  'namespace-operations',
  'log-frontier',
  'deployments',
  'resource-operations',
  'kept-uids',
  'store-failures',
  'malformed-input',
  'claims-and-leases',
  'write-runner',
  'resource-round-trips',
  'apply-manifests',
  'upkeep',
  'stream-operations',
  'shutdown',
  'simulation',
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
