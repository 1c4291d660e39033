/**
 * prompt/language: the `{{ root.path | filter }}` language of prompts: syntax, known variables, rendering with the values of a turn,
 * and the judgement of a prompt when an agent is written. Pure. Used by runtime/prompt.
 */
export { promptCheck } from './prompt-check.ts';
export { createPromptRenderer, type TurnValues } from './prompt-renderer.ts';
