import type { ModelRegistry } from '../../models/contract.ts';
import type { ObjectAccess, PromptAssembler, PromptPlan, PromptRequest } from '../contract.ts';
import { budgetLimits } from './budget-limits.ts';
import { createDrafter } from './draft-prompt.ts';
import { fitPrompt } from './prompt-budget.ts';
import type { PromptDraft } from './prompt-draft.ts';

export interface PromptAssemblerDeps {
  readonly models: Pick<ModelRegistry, 'facts' | 'countTokens' | 'tokenBound'>;
  readonly readObject: ObjectAccess['read'];
}

/** Longest summary that a compaction may write. */
const SUMMARY_TOKENS = 4000;

/** Assembles prompts; keeps parsed prompts, cleaned tool schemas and the texts of stored outputs between calls. */
export const createPromptAssembler = (deps: PromptAssemblerDeps): PromptAssembler => {
  const draft = createDrafter(deps.readObject);
  return {
    plan: async (request) => {
      const { inputs } = deps.models.facts(request.target);
      return planWithin(await draft(request, { inputs }), request, deps);
    },
  };
};

const planWithin = (draft: PromptDraft, request: PromptRequest, { models }: PromptAssemblerDeps): PromptPlan => {
  const facts = models.facts(request.target);
  return fitPrompt(draft, {
    limits: budgetLimits(facts, request),
    count: (text) => models.countTokens(request.target, text),
    bound: (text) => models.tokenBound(request.target, text),
    compactionOutput: facts.maxOutput > 0 ? Math.min(SUMMARY_TOKENS, facts.maxOutput) : SUMMARY_TOKENS,
    mayCompact: !request.skipCompaction,
    compactNow: request.compactNow === true,
  });
};
