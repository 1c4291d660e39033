import { create } from '@bufbuild/protobuf';
import { type UsagePolicySpec, type UsagePolicyStatus, UsagePolicyStatusSchema } from '@svc/api/resources';
import { type KindContract, kindContract } from '../../../controllers/contract.ts';
import { type Finding, type Judged, judgedConditions, kindRow, messageFromText } from '../../../resources/index.ts';
import type { PolicyIndex } from './policy-index.ts';
import { checkUsagePolicy } from './policy-rules.ts';

const FINDINGS: readonly Finding[] = [
  { type: 'Ready', status: 'True', reason: 'Active' },
  { type: 'Validated', status: 'True', reason: 'Validated' },
  { type: 'Alert', status: 'False', reason: 'BelowAlert' },
  { type: 'Exceeded', status: 'False', reason: 'BelowLimit' },
];
const FRESH: Judged = { phase: 'Active', findings: FINDINGS };

export interface UsagePolicyKindDeps {
  readonly policies: Pick<PolicyIndex, 'note' | 'forget'>;
}

/** How usage policies are written. The counts of their limits are merged into the status on read. */
export const usagePolicyContract = (deps: UsagePolicyKindDeps): KindContract =>
  kindContract<UsagePolicySpec>({
    kind: 'UsagePolicy',
    validate: ({ spec, annotations }) => checkUsagePolicy(spec, annotations),
    observe: async (tx, { current, generation, isSpecChanged }) => {
      const stored =
        current === undefined
          ? undefined
          : (messageFromText(kindRow('UsagePolicy').status, current.status) as UsagePolicyStatus);
      const previous = stored?.conditions ?? [];
      const isJudged = previous.length > 0 && !isSpecChanged;
      return create(UsagePolicyStatusSchema, {
        observedGeneration: BigInt(generation),
        phase: FRESH.phase,
        conditions: isJudged ? previous : judgedConditions(previous, FRESH, { now: tx.now(), generation }),
      });
    },
    applied: async (tx, { stored }) => tx.afterCommit(() => deps.policies.note(stored)),
    removing: async (tx, record) => tx.afterCommit(() => deps.policies.forget(record.key)),
  });
