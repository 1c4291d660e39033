/**
 * runtime/steps/model-call: one model call: the prompt that is planned for it, the request, and its chunks, which go into the writer
 * of the answer. It journals nothing and decides nothing about tries, profiles or what follows. Called by the model step and
 * by compaction.
 */
export {
  type CallPorts,
  runModelCall,
  sideAfterCall,
  usagePart,
} from './model-call.ts';
export { modelRequest, targetKey } from './model-request.ts';
export {
  type PlannedCall,
  type PlannedPrompt,
  type PlannedSummary,
  type PromptPorts,
  planPrompt,
} from './prompt-plan.ts';
export { SentCall } from './sent-call.ts';
