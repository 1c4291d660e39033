/**
 * bridge: makes a connector of an adapter of the Chat SDK. It takes the place of that SDK's core, which would answer a platform before a message is
 * safe. It knows no platform: what differs between them is a ChatConnector each, in `platforms`.
 */
export type { ButtonForm, ChatConnector, ListenOptions, Verdict } from './chat-connector.ts';
export { openChatPlatform, type PlatformTools } from './chat-platform.ts';
export { AdapterMissing, loadAdapter } from './load-adapter.ts';
export { retryAfterOf } from './outbound.ts';
export { eventsTaken, handOver } from './request-work.ts';
