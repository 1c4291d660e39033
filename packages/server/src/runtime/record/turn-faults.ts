import { type Fault, isFault } from '../../base/index.ts';
import { isStorageFull } from '../../store/contracts/index.ts';

/**
 * True for a fault that says that the store, or the object service, could not do its work now: the connection went, also
 * in a commit whose outcome is not known; the server shuts down or has no connection to spare; the disk is full. Such a
 * fault says nothing about the turn that met it: it is tried again, in the end by another attempt.
 */
export const isStoreAway = (error: unknown): error is Fault =>
  isFault(error) && (error.code === 'UNAVAILABLE' || isStorageFull(error));

/** The claim moved on: the holder must write and emit nothing more. */
export class LostClaim extends Error {
  constructor(turnId: string) {
    super(`claim of turn ${turnId} was lost`);
    this.name = 'LostClaim';
  }
}
