import type { CallContext } from '../../../../auth/contract.ts';
import { Fault } from '../../../../base/index.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';

/** Ends a transaction that must leave nothing behind. */
class Undo extends Fault {
  constructor() {
    super('ABORTED', 'CONFLICT', 'dry run');
  }
}

export interface Rehearsal {
  readonly context: CallContext;
  /** `Kind/ns/name`, or how many manifests were tried. */
  readonly target: string;
  readonly namespace: string;
}

/**
 * Runs the work as a whole transaction, with everything in it, and undoes it; answers what the work answered. The audit record of the
 * try stays: it comes first, so that one that fails has it too.
 */
export const rehearse = async <T>(
  { store, audit }: Pick<ManifestsDeps, 'store' | 'audit'>,
  { context, target, namespace }: Rehearsal,
  work: (tx: WriteTx) => Promise<T>,
): Promise<T> => {
  await store.write((tx) => audit(tx, context, { target, namespace, resourceVersion: '', outcome: 'dry-run' }));
  const undo = new Undo();
  let outcome: { readonly value: T } | undefined;
  try {
    await store.write(async (tx) => {
      outcome = { value: await work(tx) };
      throw undo;
    });
  } catch (error) {
    if (error === undo && outcome !== undefined) return outcome.value;
    throw error;
  }
  throw new Error('a rehearsal was committed');
};
