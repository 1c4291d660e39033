import { Fault } from '../../../base/index.ts';
import type { Store, WriteTx } from '../../../store/contracts/index.ts';

/** Ends a transaction that must leave nothing behind. */
class Undo extends Fault {
  constructor() {
    super('ABORTED', 'CONFLICT', 'dry run');
  }
}

/** Runs the work as a whole transaction, with everything in it, and undoes it; answers what the work answered. */
export const rehearse = async <T>(store: Pick<Store, 'write'>, work: (tx: WriteTx) => Promise<T>): Promise<T> => {
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
