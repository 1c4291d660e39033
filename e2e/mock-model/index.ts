/**
 * mock-model: a model provider on a port of the test's own process, speaking the OpenAI chat completions protocol. What it
 * answers is in the user message, so it needs no state, and it keeps what it was asked. Called by tests that must see or
 * hold model requests from outside the server.
 */
export { type ChatMessage, MockModel } from './mock-model.ts';
export { wordsFrom } from './model-script.ts';
