import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One TypeScript file of the checkout; `path` is relative to the root and uses `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const generatedPath = /(^|\/)(gen|generated|dist|node_modules)\/|_pb\.(js|ts|d\.ts)$/;
const testPath = /\.test\.tsx?$|(^|\/)(conformance|testing)\/|^e2e\//;

/** Every hand-written TypeScript file that the rules of the layers test look at. */
export function loadSources(root: string): readonly SourceFile[] {
  return globSync(['packages/*/src/**/*.{ts,tsx}', 'e2e/**/*.ts', 'bench/**/*.ts', 'tools/**/*.ts'], { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !isGenerated(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Tests and what only tests use: conformance suites, folders named `testing`, everything in e2e. */
export function isTestCode(path: string): boolean {
  return testPath.test(path);
}

/** Code that a generator writes and no one reads in review: no rule of style applies to it. */
export function isGenerated(path: string): boolean {
  return generatedPath.test(path);
}
