/** What the API answers and streams, as far as the chat reads it: its JSON, in which every field may be missing. */

export interface WireObject {
  readonly mediaType?: string;
  /** A 64-bit number is text in JSON. */
  readonly sizeBytes?: string;
  readonly filename?: string;
}

export interface WirePart {
  readonly id?: string;
  /** SESSION_MESSAGE_PART_TYPE_ and the type. */
  readonly partType?: string;
  readonly content?: string;
  readonly name?: string;
  readonly payloadJson?: string;
  readonly object?: WireObject;
}

export interface WireMessage {
  readonly id?: string;
  /** ROLE_USER, ROLE_ASSISTANT or ROLE_SYSTEM. */
  readonly role?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly parts?: readonly WirePart[];
}

/** An event of a session stream. */
export interface WireEvent {
  /** SESSION_MESSAGE_PART_EVENT_KIND_ and the kind. */
  readonly kind?: string;
  readonly part?: WirePart;
  readonly messageId?: string;
  readonly turnId?: string;
  readonly cursor?: string;
  readonly reason?: string;
}

/** Answer of GetSession. */
export interface WireSession {
  readonly messages?: readonly WireMessage[];
  readonly activeTurnId?: string;
  readonly streamCursor?: string;
}

/** Answer of ListSessionMessages. */
export interface WireMessagePage {
  readonly items?: readonly { readonly message?: WireMessage }[];
  readonly hasMore?: boolean;
}

/** Answer of SendMessage. */
export interface WireSent {
  readonly messageId?: string;
  readonly turnId?: string;
  readonly replyMessageId?: string;
}
