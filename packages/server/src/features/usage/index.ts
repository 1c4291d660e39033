/**
 * features/usage: quotas of model calls, tool calls and session creations (RT-9). Every such act already passes through
 * the meter; as long as no UsagePolicy exists nothing is governed, so no act costs a reservation's transaction.
 * Called by runtime as its UsageMeter; app wires it.
 */
import type { UsageMeter } from '../../runtime/contract.ts';

export { usagePolicyContract } from './policy-kind.ts';

/** The meter of an instance without policies: governs nothing, refuses nothing, charges nothing. */
export const createUngovernedMeter = (): UsageMeter => ({
  governs: () => false,
  reserve: () => Promise.resolve(),
  giveBack: () => Promise.resolve(),
  charge: () => Promise.resolve(),
});
