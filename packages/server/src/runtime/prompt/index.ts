/**
 * prompt: what a model call is given. `createPromptAssembler(deps)` puts system prompt, skills, transcript and
 * post-history prompt in order and keeps them inside the model's window; `promptCheck` judges prompts when an agent is
 * written. Does not own the goals that the system message shows (session), the model call, the compaction's journal entry or
 * the retry after an overflow: steps do what the plan says.
 *
 * The model step calls `plan` before each call; app hands `promptCheck` to the agents feature.
 */

export { harnessPrompt } from './harness-prompt.ts';
export { promptCheck } from './language/index.ts';
export { createPromptAssembler } from './prompt-assembler.ts';
export { createPromptInspector } from './prompt-pieces.ts';
export { countPrompt } from './token-count.ts';
