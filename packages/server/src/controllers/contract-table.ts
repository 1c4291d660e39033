import { findKind, kinds } from '../resources/index.ts';
import type { KindContract } from './contract.ts';

/** The contracts by kind. Throws unless each built-in kind has exactly one, and no other kind has any. */
export const contractTable = (contracts: readonly KindContract[]): ReadonlyMap<string, KindContract> => {
  const table = new Map<string, KindContract>();
  for (const contract of contracts) {
    const { kind } = contract;
    if (findKind(kind) === undefined) throw new Error(`the contract of ${kind} is of no built-in kind`);
    if (table.has(kind)) throw new Error(`kind ${kind} has two contracts`);
    table.set(kind, contract);
  }
  const missing = kinds.filter(({ kind }) => !table.has(kind)).map(({ kind }) => kind);
  if (missing.length > 0) throw new Error(`kinds without a contract: ${missing.join(', ')}`);
  return table;
};
