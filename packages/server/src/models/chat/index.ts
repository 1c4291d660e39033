/**
 * chat: the own driver of OpenAI-compatible chat completions, the hot path: request bytes, incremental events,
 * answer. No tries, no time-outs (call does these). Created by the driver table.
 */
export { ChatDriver } from './chat-driver.ts';
