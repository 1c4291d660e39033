import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSources } from '../checks/source-files.ts';
import { documents, readRows } from './documents.ts';
import { ProofJudge } from './judge-proofs.ts';
import { readResults, type TestResult } from './test-results.ts';

/** Which suites ran before, by the names of their reports; and whether a service was missing that tests of theirs need. */
interface ProofRun {
  readonly root: string;
  /** Names of all suites. */
  readonly suites: readonly string[];
  /** Those that were run now. */
  readonly ran: readonly string[];
  /** Some tests could not run here; what they prove is noted and is not a failure. */
  readonly lacksServices: boolean;
}

/** Numbers for the total, as of any other check. */
interface ProofOutcome {
  readonly passed: number;
  readonly failed: number;
  readonly note?: string;
  readonly output?: string;
}

/**
 * Every test that the tables of docs/proofs name has to have run and passed in this run. Where only some
 * suites were run it has to be declared under exactly its title, which is all that can be known then.
 */
export function checkProofs({ root, suites, ran, lacksServices }: ProofRun): ProofOutcome {
  const judge = new ProofJudge(loadSources(root));
  const isWhole = suites.every((suite) => ran.includes(suite));
  const results = isWhole ? suites.flatMap((suite) => resultsOf(root, suite)) : [];
  const faults: string[] = [];
  const unknown: string[] = [];
  let passed = 0;
  for (const { document, proof } of proofsOf(root)) {
    const undeclared = judge.undeclared(proof);
    const fault = undeclared ?? (isWhole ? judge.unproven(proof, results) : undefined);
    if (fault === undefined) passed += 1;
    else if (undeclared === undefined && lacksServices) unknown.push(fault);
    else faults.push(`${document}: ${fault}`);
  }
  const notes = [
    isWhole ? '' : 'titles only: not all suites were run',
    unknown.length > 0 ? `${unknown.length} not proven here, where a service is missing` : '',
  ].filter((text) => text !== '');
  return {
    passed,
    failed: faults.length,
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
    ...(faults.length === 0 ? {} : { output: faults.join('\n') }),
  };
}

/** A suite that was killed has no report; its tests then did not run. */
function resultsOf(root: string, suite: string): readonly TestResult[] {
  const report = join(root, '.reports', `${suite}.json`);
  return existsSync(report) ? readResults(readFileSync(report, 'utf8'), root) : [];
}

function proofsOf(root: string) {
  return documents.flatMap((document) =>
    readRows(readFileSync(join(root, document), 'utf8')).flatMap(({ proofs }) =>
      proofs.map((proof) => ({ document, proof })),
    ),
  );
}
