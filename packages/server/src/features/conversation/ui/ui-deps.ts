import type { Authorizer, CallContext } from '../../../auth/contract.ts';
import type { Clock } from '../../../base/index.ts';
import type { HttpExchange } from '../../../operations/index.ts';
import type { ObjectData } from '../../../runtime/contract.ts';
import type { SessionStreams } from '../../../runtime/stream/stream-contract.ts';

export interface ChatNames {
  readonly ns: string;
  readonly agent: string;
  readonly sessionId: string;
}

/** Bytes that came with a chat message. */
interface ChatContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
  /** Of the bytes, in lower-case hex. */
  readonly sha256: string;
}

/** A file of a chat message: an https: url, or what was in a data: url. */
export interface ChatFile {
  readonly source: { readonly url: string } | ChatContent;
  readonly mediaType: string;
  readonly filename: string;
}

export interface ChatMessage {
  readonly text: string;
  readonly files: readonly ChatFile[];
  readonly labels: Readonly<Record<string, string>>;
  readonly whenBusy: 'QUEUE' | 'STEER' | 'REJECT' | 'INTERRUPT';
}

interface SentChat {
  readonly turnId: string;
  /** True when the message joined a turn that was running already. */
  readonly steered: boolean;
}

/** What the browser surface needs of sessions; features/conversation/sessions satisfies it. */
interface ChatSessions {
  send(names: ChatNames, message: ChatMessage, call: CallContext): Promise<SentChat>;
  /** Drops the newest assistant message, which `messageId` must name unless it is '', and runs its user message again. */
  regenerate(names: ChatNames, messageId: string, call: CallContext): Promise<SentChat>;
  /** Turn that a permission request belongs to; PERMISSION_REQUEST_NOT_FOUND. */
  permissionTurn(names: ChatNames, requestId: string): Promise<string>;
  answer(
    names: ChatNames,
    answer: { readonly requestId: string; readonly allow: boolean; readonly comment: string },
    call: CallContext,
  ): Promise<void>;
  stop(names: ChatNames, call: CallContext): Promise<void>;
  /** The object of a part of a finished message; MESSAGE_PART_NOT_FOUND. */
  partObject(names: ChatNames, messageId: string, partId: string): Promise<ObjectData>;
  /** Running or waiting turn, '' when nothing runs; SESSION_NOT_FOUND. */
  runningTurn(names: ChatNames): Promise<string>;
}

/** Signed links to object bytes. */
export interface ObjectLinks {
  link(namespace: string, object: ObjectData): string;
}

export interface UiDeps {
  readonly sessions: ChatSessions;
  readonly streams: SessionStreams;
  readonly links: ObjectLinks;
  /** Answers a request with the bytes of an object, or the range of them that it asks for. */
  readonly sendObject: (exchange: HttpExchange, object: ObjectData, signal: AbortSignal) => Promise<void>;
  readonly authorizer: Authorizer;
  readonly clock: Clock;
  /** `limits.uiRequestBytes`. */
  readonly requestBytes: number;
  /** `limits.messageBytes`. */
  readonly messageBytes: number;
}
