import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { AccessNeed } from './contract.ts';
import { accessFacts } from './testing/access-facts.ts';

const text = readFileSync(fileURLToPath(new URL('../../../../docs/access.md', import.meta.url)), 'utf8');

const namesWith = (need: AccessNeed): readonly string[] =>
  [...accessFacts]
    .filter(([, access]) => access.need === need)
    .map(([operation]) => operation.split('/')[1] ?? '')
    .sort();

/** Operations that the page names in the row of a role. */
const documented = (role: string): readonly string[] => {
  const row = text.split('\n').find((line) => line.startsWith(`| ${role} |`)) ?? '';
  return [...row.matchAll(/\b(?:[A-Z][a-z]+){2,}\b/g), ...row.matchAll(/\bWhoAmI\b/g)].map(([name]) => name).sort();
};

it.each([
  ['operator', 'operator'],
  ['admin', 'admin'],
  ['any valid credential', 'any'],
  ['callback secret of a connector', 'callback'],
] as const)('docs/access.md names the operations of %s', (role, need) => {
  expect(documented(role)).toEqual(namesWith(need));
});

it('docs/access.md gives viewers every reading operation that is in no other row', () => {
  for (const name of namesWith('viewer')) expect(name).toMatch(/^(?:Get|List|Search|Read|Report|Stream|Watch)/);
});
