import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkProofs } from './check-proofs.ts';

const suites = ['unit', 'e2e'];

/** A checkout with two promises, whose tests ended as given. */
const checkout = (statuses: readonly [first: string, second: string]): string => {
  const root = mkdtempSync(join(tmpdir(), 'svc-proofs-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const row = (number: number, file: string, title: string) => `| ${number} | promise | \`${file}\`: *${title}* |\n`;
  const result = (file: string, title: string, status: string) => ({
    name: join(root, file),
    assertionResults: [{ title, fullName: `group ${title}`, status }],
  });
  write('tools/a.test.ts', `it('is first', () => {});`);
  write('e2e/b.test.ts', `it('is second', () => {});`);
  write('docs/proofs/guarantees.md', row(1, 'tools/a.test.ts', 'is first'));
  write('docs/proofs/obligations.md', row(2, 'e2e/b.test.ts', 'is second'));
  write('.reports/unit.json', JSON.stringify({ testResults: [result('tools/a.test.ts', 'is first', statuses[0])] }));
  write('.reports/e2e.json', JSON.stringify({ testResults: [result('e2e/b.test.ts', 'is second', statuses[1])] }));
  return root;
};
const whole = { suites, ran: ['types', ...suites], lacksServices: false };

it('counts what ran and passed', () => {
  expect(checkProofs({ root: checkout(['passed', 'passed']), ...whole })).toEqual({ passed: 2, failed: 0 });
});

it('names each proof that was skipped or did not run, with its document', () => {
  const root = checkout(['passed', 'skipped']);
  rmSync(join(root, '.reports/unit.json'));
  expect(checkProofs({ root, ...whole })).toEqual({
    ...{ passed: 0, failed: 2 },
    output: [
      'docs/proofs/guarantees.md: tools/a.test.ts: "is first" did not run',
      'docs/proofs/obligations.md: e2e/b.test.ts: "is second" was skipped',
    ].join('\n'),
  });
});

it('looks at titles alone where only some suites were run, and not at reports of earlier runs', () => {
  const root = checkout(['failed', 'failed']);
  expect(checkProofs({ root, ...whole, ran: ['unit'] })).toEqual({
    ...{ passed: 2, failed: 0, note: 'titles only: not all suites were run' },
  });
  writeFileSync(join(root, 'tools/a.test.ts'), `it('is first of all', () => {});`);
  expect(checkProofs({ root, ...whole, ran: [] })).toMatchObject({
    ...{ passed: 1, failed: 1, output: 'docs/proofs/guarantees.md: tools/a.test.ts: no test has the title "is first"' },
  });
});

it('notes what could not run for want of a service', () => {
  expect(checkProofs({ root: checkout(['passed', 'skipped']), ...whole, lacksServices: true })).toEqual({
    ...{ passed: 1, failed: 0, note: '1 not proven here, where a service is missing' },
  });
});
