/** JSON of the API as far as the tests look into it. */
export interface Part {
  readonly id: string;
  readonly partType: string;
  readonly content: string;
  readonly name: string;
  readonly payloadJson: string;
}

export interface StoredMessage {
  readonly id: string;
  readonly role: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
}

export interface SessionEvent {
  readonly sessionId: string;
  readonly kind: string;
  readonly part?: Part;
  readonly messageId: string;
  readonly turnId: string;
  readonly sequence: string;
  readonly attempt: number;
  readonly cursor: string;
  readonly reason: string;
}

/** Text parts of a message, joined. */
export const textOf = (message: { readonly parts: readonly Part[] } | undefined): string =>
  (message?.parts ?? [])
    .filter((part) => part.partType === 'SESSION_MESSAGE_PART_TYPE_TEXT')
    .map((part) => part.content)
    .join('');
