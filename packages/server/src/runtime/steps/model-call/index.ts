/**
 * runtime/steps/model-call: one model call as parts: the prompt that is planned for it, the request, and its chunks in a
 * writer that shows text in pieces and keeps parts whole. It journals nothing and decides nothing about tries, profiles or what
 * follows. Called by the model step and by compaction.
 */
export { DeltaPressure } from './delta-pressure.ts';
export {
  type CallOutcome,
  type CallPorts,
  type ModelAnswer,
  runModelCall,
  sideAfterCall,
  usagePart,
} from './model-call.ts';
export { modelRequest, targetKey } from './model-request.ts';
export { PartWriter, type WriterPorts } from './part-writer.ts';
export { type PromptPorts, planPrompt } from './prompt-plan.ts';
