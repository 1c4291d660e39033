import type { CallContext } from '../../../../auth/contract.ts';
import { undone, type WriteTx } from '../../../../store/contracts/index.ts';
import type { ManifestsDeps } from '../manifests-deps.ts';

export interface Rehearsal {
  readonly context: CallContext;
  /** `Kind/ns/name`, or how many manifests were tried. */
  readonly target: string;
  readonly namespace: string;
}

/** Runs the work and undoes it. The audit record of the try stays: it comes first, so that one that fails has it too. */
export const rehearse = async <T>(
  { store, audit }: Pick<ManifestsDeps, 'store' | 'audit'>,
  { context, target, namespace }: Rehearsal,
  work: (tx: WriteTx) => Promise<T>,
): Promise<T> => {
  await store.write((tx) => audit(tx, context, { target, namespace, resourceVersion: '', outcome: 'dry-run' }));
  return undone(store, work);
};
