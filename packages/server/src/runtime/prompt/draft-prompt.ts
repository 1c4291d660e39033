import type { ModelFacts, ModelMessage } from '../../models/contract.ts';
import type { CompactionKeeps, ObjectAccess, PromptRequest } from '../contract.ts';
import {
  createObjectLoader,
  cutAtCompaction,
  type LoadedObjects,
  NO_OBJECTS,
  type ReplayOptions,
  type ReplayStep,
  replaySteps,
  storedKeeps,
  textKey,
  type WantedObjects,
  wantedObjects,
} from '../history/index.ts';
import { latestUserIndex } from './compaction-plan.ts';
import { createPromptRenderer, type TurnValues } from './language/index.ts';
import { addedText, keptMessages, leadingMessages, systemBlocks } from './leading-messages.ts';
import type { PromptDraft } from './prompt-draft.ts';
import { createSchemaCleaner } from './tool-schemas.ts';

/** How a draft is made. */
interface DraftOptions extends Pick<ReplayOptions, 'trace'> {
  /** What the model takes by value. */
  readonly inputs: ModelFacts['inputs'];
}

/** Puts everything of a prompt in order, before it is cut to the budget. */
export type Drafter = (request: PromptRequest, options: DraftOptions) => Promise<PromptDraft>;

/** Keeps parsed prompts, cleaned tool schemas and the texts of stored outputs between calls. */
export const createDrafter = (readObject: ObjectAccess['read']): Drafter => {
  const render = createPromptRenderer();
  const load = createObjectLoader(readObject);
  const cleanTools = createSchemaCleaner();
  return async (request, { inputs, trace }) => {
    const { turnId, target, agent } = request;
    const values = turnValues(request);
    const cut = cutAtCompaction(request.transcript);
    const transcript = cut?.rest ?? request.transcript;
    const wanted = wantedObjects(transcript, inputs);
    const summaryObject = cut?.part.object;
    const texts = summaryObject === undefined ? wanted.texts : [...wanted.texts, { object: summaryObject, callId: '' }];
    const objects = isNothing(wanted, texts) ? NO_OBJECTS : await load(agent.namespace, { media: wanted.media, texts });
    const replay = { turnId, target, inputs, ...(trace === undefined ? {} : { trace }) };
    const steps = replaySteps(transcript, replay, objects);
    const keeps = storedKeeps(cut?.part);
    const blocks = systemBlocks(request, render(agent.spec.systemPrompt, values));
    return {
      blocks,
      leading: leadingMessages(request, blocks),
      compaction: cut?.part,
      summary: cut === undefined ? [] : summaryMessages(cut.part, objects, keeps),
      kept: keptMessages(keeps.kept),
      keeps,
      steps: withPostHistory(steps, render(agent.spec.postHistoryPrompt, values)),
      tools: cleanTools(request.tools),
      transcript,
      turnId,
      objects,
    };
  };
};

const isNothing = (wanted: WantedObjects, texts: WantedObjects['texts']): boolean =>
  wanted.media.length + texts.length === 0;

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
