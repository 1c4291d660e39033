/**
 * prompt: what a model call is given. `createPromptAssembler(deps)` puts system prompt, skills, transcript and
 * post-history prompt in order and keeps them inside the model's window; `promptCheck` judges prompts when an agent is
 * written. `createSessionGoals(store)` keeps the goals that the system message shows. Does not own the model call, the
 * compaction's journal entry or the retry after an overflow: the turn engine does what the plan says.
 *
 * The turn engine calls `plan` once per step; app hands `promptCheck` to the agents feature.
 */
export { createPromptAssembler } from './prompt-assembler.ts';
export { promptCheck } from './prompt-check.ts';
export { createSessionGoals } from './session-goals.ts';
