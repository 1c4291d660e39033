import { expect, it } from 'vitest';
import { kindContract } from '../controllers/index.ts';
import { KindRegistry } from './kind-registry.ts';

const contract = (kind: string) => kindContract({ kind, validate: () => [] });

it('shows the write pipeline, made before, the kinds of every feature', () => {
  const registry = new KindRegistry();
  const { contracts } = registry;
  const file = contract('File');
  registry.add([file, contract('Task')]);
  expect([...contracts.keys()]).toEqual(['File', 'Task']);
  expect(registry.find('File')).toBe(file);
  expect(registry.find('toString')).toBeUndefined();
});

it('refuses a kind that two features bring', () => {
  const registry = new KindRegistry();
  registry.add([contract('File')]);
  expect(() => registry.add([contract('Task'), contract('File')])).toThrow('two features bring the kind File');
});
