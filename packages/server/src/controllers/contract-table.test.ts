import { describe, expect, it } from 'vitest';
import { kinds } from '../resources/index.ts';
import { contractTable, type KindContract, kindContract } from './index.ts';

const contract = (kind: string): KindContract => kindContract({ kind, validate: () => [] });
const all = kinds.map(({ kind }) => contract(kind));

describe('the table of contracts', () => {
  it('has exactly one contract of each built-in kind', () => {
    expect([...contractTable(all).keys()]).toEqual(kinds.map(({ kind }) => kind));
  });

  it.each([
    ['a kind without one', all.filter(({ kind }) => kind !== 'Skill'), 'kinds without a contract: Skill'],
    ['a kind with two', [...all, contract('Skill')], 'kind Skill has two contracts'],
    ['one of no built-in kind', [...all, contract('Skil')], 'the contract of Skil is of no built-in kind'],
  ])('refuses %s', (_case, contracts, message) => {
    expect(() => contractTable(contracts)).toThrow(message);
  });
});
