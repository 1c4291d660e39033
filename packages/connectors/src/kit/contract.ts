/** What the kit and a connected platform know of each other. Plain types only. */

/** Somebody who wrote on the platform. */
export interface Sender {
  /** The platform's own id. */
  readonly id: string;
  /** E-mail address or the like; empty without one. */
  readonly address: string;
  readonly displayName: string;
  readonly kind: 'user' | 'bot' | 'app' | 'system';
}

/** A file of an inbound message; its bytes are fetched only while a svc is registered. */
export interface InboundAttachment {
  readonly filename: string;
  readonly mediaType: string;
  /** As the platform reports it; undefined when it does not. */
  readonly sizeBytes: number | undefined;
  /**
   * Fetches the content; undefined when there is none and never will be: the file is then named in the text. Throws when another
   * attempt may help.
   */
  read(): Promise<Uint8Array | undefined>;
}

/** One message as it happened on the platform. */
export interface InboundEvent {
  /** The same for each copy of the same event, and for no other event of the platform. */
  readonly eventId: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  readonly matchFields: Readonly<Record<string, string>>;
  readonly conversation: string;
  /** Undefined for a message that belongs to no thread. */
  readonly thread: string | undefined;
  readonly messageId: string;
  readonly conversationType: 'dm' | 'group' | 'channel' | 'channel_thread';
  readonly sender: Sender;
  readonly text: string;
  readonly attachments: readonly InboundAttachment[];
  /** Unix milliseconds; 0 when the platform does not say. */
  readonly timeMs: number;
  /** An event with the label `svc.delivery` answers the question of that delivery with the number in its text, and never becomes a message. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A file that a delivery brings. */
export interface OutboundFile {
  readonly filename: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Where a message is to be written. */
export interface Place {
  readonly conversation: string;
  readonly thread: string | undefined;
  readonly replyTo: string | undefined;
  readonly matchFields: Readonly<Record<string, string>>;
}

/** One reply on its way to the platform. */
export interface Delivery extends Place {
  /** The same for every attempt; hand it to the platform where that has idempotency keys. */
  readonly id: string;
  /** Markdown. */
  readonly text: string;
  readonly files: readonly OutboundFile[];
  /** What a question lets people choose from, in the order of the numbers in its text; empty for every other reply. */
  readonly options: readonly string[];
  /** How many parts earlier attempts of this process have sent, for replies that need several messages. */
  readonly partsSent: number;
  /** To be called after each part that the platform has taken. */
  onPartSent(): void;
}

/** What a platform may ask of the kit. */
export interface ConnectorHost {
  /**
   * Hands an event to svc, in the order of the calls for each conversation. Resolves once every registration has answered with
   * a durable outcome, and only then may the platform be told that its message was taken. Throws NotTaken otherwise. The value is true where one
   * of them has accepted the event, now or as an earlier copy, and false where all leave it alone, such as a press by someone who may not answer.
   */
  ingest(event: InboundEvent): Promise<boolean>;
  /** Reports the state of the connection to the platform to svc; best effort, and repeated to later registrations. */
  reportStatus(status: 'connected' | 'degraded' | 'disabled' | 'revoked', reason: string): void;
  readonly log: ConnectorLog;
}

/** A platform that is connected: how its messages come in and replies get out. */
export interface Platform {
  /** Signs in and begins to listen; called once, after the HTTP service is open. May fail: the platform is then reported as degraded. */
  start?(): Promise<void>;
  /** Answers a request of the platform; undefined for platforms without webhooks. A NotTaken that it throws becomes 503. */
  receive?(request: Request): Promise<Response>;
  /** Writes a reply; resolves when the platform has taken it, throws DeliveryFailure, or anything else to be tried again. */
  deliver(delivery: Delivery): Promise<void>;
  /** Shows or keeps the sign that an answer is being written; best effort. */
  showTyping?(place: Place): Promise<void>;
  /** Ends what `start` began. */
  stop?(): Promise<void>;
}

/** Lines for operators; never texts of messages or credentials. */
export interface ConnectorLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** svc has not taken an event; the platform has to send it again. */
export class NotTaken extends Error {
  /** Seconds after which svc asked to be tried again; undefined when it did not say. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    options: { readonly retryAfterSeconds?: number | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'NotTaken';
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

interface DeliveryFailureOptions {
  readonly retryAfterSeconds?: number | undefined;
  /** The platform no longer accepts the credential. */
  readonly isCredentialRefused?: boolean;
  readonly cause?: unknown;
}

/** Why the platform has not taken a reply, and whether another attempt can help. */
export class DeliveryFailure extends Error {
  readonly outcome: 'rejected' | 'retry';
  readonly retryAfterSeconds: number | undefined;
  readonly isCredentialRefused: boolean;

  constructor(outcome: 'rejected' | 'retry', message: string, options: DeliveryFailureOptions = {}) {
    super(message, { cause: options.cause });
    this.name = 'DeliveryFailure';
    this.outcome = outcome;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isCredentialRefused = options.isCredentialRefused ?? false;
  }
}
