import { type Conversation, emptyConversation, type Problem } from '../model/index.ts';

/** Bytes of a part: being fetched, here under a `blob:` address, or not to be had. */
export type Media = { readonly state: 'loading' | 'failed' } | { readonly state: 'ready'; readonly url: string };

/** An answer to a request that is on its way, or was refused. */
export type PendingAnswer = { readonly state: 'sending' } | { readonly state: 'refused'; readonly problem: Problem };

/** Everything that a chat shows; every change makes a new one. */
export interface ChatState {
  /** `failed`: the conversation cannot be shown, for the reason of `problem`. */
  readonly phase: 'loading' | 'ready' | 'failed';
  readonly problem: Problem | undefined;
  /** False while the connection to the server is lost. */
  readonly isConnected: boolean;
  readonly conversation: Conversation;
  /** There may be messages before the first one. */
  readonly hasEarlier: boolean;
  readonly isLoadingEarlier: boolean;
  /** By the id of the request. */
  readonly answers: ReadonlyMap<string, PendingAnswer>;
  /** By `<message>/<part>`. */
  readonly media: ReadonlyMap<string, Media>;
  /** The last thing that was tried and failed, such as stopping; undefined once something else is tried. */
  readonly notice: Problem | undefined;
}

export const initialState: ChatState = {
  phase: 'loading',
  problem: undefined,
  isConnected: true,
  conversation: emptyConversation,
  hasEarlier: false,
  isLoadingEarlier: false,
  answers: new Map(),
  media: new Map(),
  notice: undefined,
};

/** Name of the bytes of a part. */
export const mediaKey = (messageId: string, partId: string): string => `${messageId}/${partId}`;
