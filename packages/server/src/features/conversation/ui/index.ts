/**
 * features/conversation/ui: the browser surface: the chat of one session as an AI SDK UI message stream, and the console's
 * multiplexed event stream. Owns the chunk table and its request bodies; what sessions do is handed in by app. Called by
 * transport through the routes that app mounts.
 */
export { uiModule } from './ui-module.ts';
