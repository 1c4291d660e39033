import type { IncomingMessage } from 'node:http';
import type { Adapter, Logger } from 'chat';
import type { ConnectorLog, InboundEvent, Place } from '../kit/index.ts';
import type { Settings } from '../settings.ts';

/** Where a message is, in the platform's own ids. */
export interface Location {
  readonly conversation: string;
  /** Undefined for a message that is in no thread, also when it may become the root of one. */
  readonly thread: string | undefined;
  readonly conversationType: InboundEvent['conversationType'];
  readonly matchFields: Readonly<Record<string, string>>;
}

/** What of a message decides about its location. */
export interface Located {
  /** The adapter's name of the thread. */
  readonly threadId: string;
  readonly messageId: string;
  /** The message as the platform sent it; undefined when an adapter does not hand it on. */
  readonly raw: unknown;
}

/** Sends one request for a file, in place of the adapter's own client, which refuses private addresses. */
export type FileTransport = (
  url: URL,
  signal: AbortSignal,
  headers?: Record<string, string>,
) => Promise<IncomingMessage>;

export interface ListenOptions {
  /** Aborted when the connector stops. */
  readonly signal: AbortSignal;
  readonly log: ConnectorLog;
  /** Ends early when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface AdapterTools {
  readonly logger: Logger;
  readonly fileTransport?: FileTransport | undefined;
}

/** How an adapter of the Chat SDK becomes a connector: the difference between the platforms. */
export interface ChatConnector {
  /** Loads and makes the adapter, an `Adapter` whose own types are not strict enough to say so; throws AdapterMissing. */
  open(settings: Settings, tools: AdapterTools): Promise<unknown>;
  /** Checks webhooks before the adapter sees them, for platforms whose adapter takes no address of their keys. */
  verifier?(settings: Settings): (request: { readonly headers: Headers; readonly body: string }) => Promise<boolean>;
  /** What the adapter is given of a webhook, where it would take something of it wrong. The adapter checks the signature afterwards. */
  prepare?(request: Request): Request;
  /** Begins to receive what comes by a connection in place of webhooks, until the signal is aborted. */
  listen?(adapter: Adapter, options: ListenOptions, settings: Settings): void;
  locate(adapter: Adapter, message: Located): Location;
  /** The adapter's name of the thread into which a reply goes. */
  threadOf(adapter: Adapter, place: Place): string;
  /** Longer replies become several messages; the adapters would cut them. In UTF-16 units. */
  readonly maxTextLength: number;
  /** How questions get buttons; without it they are answered with numbers only. Needs `interaction`. */
  readonly buttons?: ButtonForm;
  /** What identifies a press of a button or a command that the adapter hands on. */
  interaction?(raw: unknown): Interaction;
  /** Commands are messages of the platform, which the adapter hands on as they are. */
  readonly commandsAreMessages?: boolean;
  /** The platform writes a command as a text that begins with a slash, and marks it by nothing else. */
  readonly commandsAreTexts?: boolean;
  /** The adapter hands edited messages on like new ones and only marks them. */
  readonly marksEdits?: boolean;
  /** The platform says at the start who the bot is; without that, its own messages would come back to svc as those of others. */
  readonly hasIdentity?: boolean;
  /** What the platform's own errors mean; undefined for what the bridge can tell itself. */
  judge?(error: unknown): Verdict | undefined;
}

/** What a platform has room for in a question with buttons; lengths are in UTF-16 units. */
export interface ButtonForm {
  /** A question with more options has no buttons. */
  readonly most: number;
  /** Longer labels are cut. */
  readonly labelLength: number;
  /** The text above the buttons, as `textOf` makes it. */
  readonly textLength: number;
  /** Each button has a row of its own. */
  readonly isOnePerRow?: boolean;
  /** Markdown as the platform takes it above buttons, where it takes something else there. */
  textOf?(markdown: string): string;
}

/** A press or a command as the platform sent it. */
export interface Interaction {
  /** The same for each copy, and for no other press or command of the conversation. */
  readonly id: string;
  /** What of it decides about its location. */
  readonly raw: unknown;
}

/** What a failure of the platform means for a reply. */
export interface Verdict {
  readonly outcome: 'rejected' | 'retry';
  readonly reason: string;
  readonly retryAfterSeconds?: number | undefined;
  readonly isCredentialRefused?: boolean;
  /** The platform has no such conversation or thread. */
  readonly isMissing?: boolean;
  readonly cause?: unknown;
}
