import { type FieldViolation, violation } from '../../../../base/index.ts';
import { DELIVERY_STATUS } from '../outbox/index.ts';

const REQUESTED = 'delivery_requested';
const SKIPPED = 'skipped';
const HELD = 'pending_review';
const MAY_BE_REQUESTED: ReadonlySet<string> = new Set([HELD, 'failed', 'delivered', SKIPPED]);

/** Whether a person may change the status of a delivery from one to the other. */
export const isAllowedStatus = (from: string | undefined, to: string): boolean =>
  to === REQUESTED ? MAY_BE_REQUESTED.has(from ?? '') : to === SKIPPED && from === HELD;

/** Why a status is not set. */
export const statusFault = (isMissing: boolean): FieldViolation =>
  violation(
    `labels[${DELIVERY_STATUS}]`,
    isMissing
      ? 'the message has no delivery'
      : `may be set to ${REQUESTED} once a delivery waits for review or has ended, and to ${SKIPPED} while it waits for review`,
    'DELIVERY_STATUS',
  );
