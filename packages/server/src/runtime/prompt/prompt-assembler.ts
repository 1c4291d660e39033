import type { ModelMessage, ModelRegistry } from '../../models/contract.ts';
import type { CompactionKeeps, ObjectAccess, PromptAssembler, PromptPlan, PromptRequest } from '../contract.ts';
import {
  createObjectLoader,
  cutAtCompaction,
  type LoadedObjects,
  NO_OBJECTS,
  type ReplayStep,
  replaySteps,
  storedKeeps,
  textKey,
  type WantedObjects,
  wantedObjects,
} from '../history/index.ts';
import { budgetLimits } from './budget-limits.ts';
import { latestUserIndex } from './compaction-plan.ts';
import { addedText, keptMessages, leadingMessages } from './leading-messages.ts';
import { fitPrompt } from './prompt-budget.ts';
import type { PromptDraft } from './prompt-draft.ts';
import { createPromptRenderer, type TurnValues } from './prompt-renderer.ts';
import { createSchemaCleaner } from './tool-schemas.ts';

export interface PromptAssemblerDeps {
  readonly models: Pick<ModelRegistry, 'facts' | 'countTokens' | 'tokenBound'>;
  readonly readObject: ObjectAccess['read'];
}

/** Longest summary that a compaction may write. */
const SUMMARY_TOKENS = 4000;

/** Assembles prompts; keeps parsed prompts, cleaned tool schemas and the texts of stored outputs between calls. */
export const createPromptAssembler = (deps: PromptAssemblerDeps): PromptAssembler => {
  const render = createPromptRenderer();
  const load = createObjectLoader(deps.readObject);
  const cleanTools = createSchemaCleaner();
  return {
    plan: async (request) => {
      const values = turnValues(request);
      const cut = cutAtCompaction(request.transcript);
      const transcript = cut?.rest ?? request.transcript;
      const { inputs } = deps.models.facts(request.target);
      const wanted = wantedObjects(transcript, inputs);
      const summaryObject = cut?.part.object;
      const texts =
        summaryObject === undefined ? wanted.texts : [...wanted.texts, { object: summaryObject, callId: '' }];
      const objects = isNothing(wanted, texts)
        ? NO_OBJECTS
        : await load(request.agent.namespace, { media: wanted.media, texts });
      const steps = replaySteps(transcript, { turnId: request.turnId, target: request.target, inputs }, objects);
      const keeps = storedKeeps(cut?.part);
      const draft: PromptDraft = {
        leading: leadingMessages(request, render(request.agent.spec.systemPrompt, values)),
        summary: cut === undefined ? [] : summaryMessages(cut.part, objects, keeps),
        kept: keptMessages(keeps.kept),
        keeps,
        steps: withPostHistory(steps, render(request.agent.spec.postHistoryPrompt, values)),
        tools: cleanTools(request.tools),
        transcript,
        turnId: request.turnId,
      };
      return planWithin(draft, request, deps);
    },
  };
};

const isNothing = (wanted: WantedObjects, texts: WantedObjects['texts']): boolean =>
  wanted.media.length + texts.length === 0;

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

const turnValues = (request: PromptRequest): TurnValues => ({
  nowMicros: request.nowMicros,
  agent: request.agent,
  session: request.session,
  namespaceLabels: request.namespaceLabels,
  channel: request.channel,
  sender: request.sender,
  model: request.target.model,
});

/** The prompt after the history: last text block of the latest user message, in every call, never stored. */
const withPostHistory = (steps: readonly ReplayStep[], text: string): readonly ReplayStep[] => {
  const latest = latestUserIndex(steps);
  if (text === '' || latest < 0) return steps;
  return steps.map((step, index) =>
    index === latest ? { ...step, messages: step.messages.map((message) => withBlock(message, text)) } : step,
  );
};

const withBlock = (message: ModelMessage, text: string): ModelMessage => ({
  ...message,
  content: [...message.content, addedText(text)],
});

/** What the model learns of the messages that a compaction covers. */
const summaryMessages = (
  part: { readonly content?: string; readonly object?: Parameters<typeof textKey>[0] },
  objects: LoadedObjects,
  { references }: CompactionKeeps,
): readonly ModelMessage[] => {
  const stored = part.object === undefined ? undefined : objects.texts.get(textKey(part.object, ''));
  const summary = stored ?? part.content ?? '';
  const files =
    references.length === 0
      ? ''
      : `\n\nFiles and stored outputs so far:\n${references.map((line) => `- ${line}`).join('\n')}`;
  return [{ role: 'user', content: [addedText(`Summary of the conversation so far:\n${summary}${files}`)] }];
};
