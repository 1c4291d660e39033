/**
 * testing: what the tests of models share: a real local HTTP server, the wire formats of the providers, a registry over
 * manual clocks, collected chunks. Nothing of the product imports it.
 */
export { anthropicWire } from './anthropic-wire.ts';
export { compatibleWire, openaiChatWire } from './chat-wire.ts';
export { googleWire } from './google-wire.ts';
export {
  type BenchOptions,
  Collected,
  collect,
  modelsConfig,
  settle,
  testRegistry,
  testRequest,
} from './model-bench.ts';
export { PauseClock, UNREACHED_MS } from './pause-clock.ts';
export { responsesWire } from './responses-wire.ts';
export { member, type ScriptedAnswer, type WireProtocol } from './scripted-answer.ts';
export { type WireAnswer, WireServer } from './wire-server.ts';
