/**
 * client: the library for programs that talk to an svc server, in Node.js and browsers. Owns typed calls for every
 * operation, safe retries, session streams that continue after any disconnect, and the folding of events into messages.
 * It keeps no state on disk and never imports server code; the command line and the console are built on it.
 */
export type { CallOptions, Calls } from './calls.ts';
export { type Client, createClient } from './client.ts';
export type { ClientOptions } from './client-options.ts';
export {
  type ClientAnswer,
  type ClientClock,
  type ClientEnvironment,
  type ClientFetch,
  type ClientRequest,
  pause,
} from './environment.ts';
export { type ErrorCode, isSvcError, SvcError, type Violation } from './error.ts';
export {
  type ConnectionState,
  emptyView,
  foldEvent,
  type ReplyView,
  type SendOptions,
  Session,
  type SessionKey,
  type SessionSnapshot,
  type ShownMessage,
  type StreamOptions,
  type TurnEnd,
  textOf,
  viewOfMessages,
} from './session/index.ts';
export type { Credentials, RetryPolicy } from './transport/index.ts';
