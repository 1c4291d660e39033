import { expect, it } from 'vitest';
import { kindContract } from '../controllers/index.ts';
import { kinds } from '../resources/index.ts';
import { KindRegistry } from './kind-registry.ts';

const contract = (kind: string) => kindContract({ kind, validate: () => [] });
const all = kinds.map(({ kind }) => contract(kind));

it('shows the write pipeline, made before, the kinds of every feature', () => {
  const registry = new KindRegistry();
  const { contracts } = registry;
  registry.fill(all);
  expect([...contracts.values()]).toEqual(all);
  expect(registry.find('File')).toBe(all.find(({ kind }) => kind === 'File'));
  expect(registry.find('toString')).toBeUndefined();
});

it('refuses a kind that two features bring', () => {
  const registry = new KindRegistry();
  expect(() => registry.fill([...all, contract('File')])).toThrow('kind File has two contracts');
  expect(registry.contracts.size).toBe(0);
});
