/**
 * session: conversations: a handle with everything one can do in a session, its event stream with resume by cursor, and
 * the view that folds events into messages. Knows nothing about fetch; it uses the typed calls.
 */
export {
  emptyView,
  foldEvent,
  type ReplyView,
  type ShownMessage,
  type TurnEnd,
  textOf,
  viewOfMessages,
} from './reply-view.ts';
export { type SendOptions, Session } from './session-handle.ts';
export type { ConnectionState, SessionKey, SessionSnapshot, StreamOptions } from './session-stream.ts';
