/** Bytes that a client announced and shall send: what a link is good for. */
export interface AnnouncedBytes {
  readonly id: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** Unix time, micros; a link works from the one to the other. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Where and how a client sends announced bytes; the headers are part of the signature. */
export interface UploadLink {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What became of announced bytes: an object now, not there yet, or others than announced. */
export type UploadVerdict = 'accepted' | 'empty' | 'size' | 'hash';

/**
 * Uploads that go from the client into the engine of object bytes, past this server. Engines whose service signs
 * links of its own have it. What arrives lies apart from the objects until it was accepted.
 */
export interface DirectUploads {
  /** A link for one PUT of exactly these bytes; asked for when they are announced. */
  link(announced: AnnouncedBytes): Promise<UploadLink>;
  /** Looks at what arrived and makes it an object of the blob store, durably; may be repeated. Wrong bytes stay apart. */
  accept(announced: AnnouncedBytes): Promise<UploadVerdict>;
  /** Removes what arrived; nothing there is fine. */
  discard(announced: AnnouncedBytes): Promise<void>;
  /** Removes what arrived over links that ended before `beforeMicros`; answers how many went. Bounded: call it again. */
  collect(beforeMicros: number): Promise<number>;
}
