/** Bytes by content: the key is the SHA-256, lower-case hex. Reads verify it. */
export interface BlobStore {
  /** Stores the bytes durably before it resolves; equal bytes are kept once. `limitBytes` exceeded → Fault TOO_LARGE. */
  put(
    bytes: Uint8Array | AsyncIterable<Uint8Array>,
    options?: { readonly limitBytes?: number },
  ): Promise<{ readonly sha256: string; readonly sizeBytes: number }>;
  /** Whole object; Fault NOT_FOUND OBJECT_NOT_FOUND or DATA_LOSS OBJECT_DAMAGED. */
  read(sha256: string): Promise<Uint8Array>;
  /** Streams [start, end) of the plain bytes; the whole object's hash is verified when the whole is read. */
  stream(sha256: string, range?: { readonly start: number; readonly end: number }): AsyncIterable<Uint8Array>;
  stat(sha256: string): Promise<{ readonly sizeBytes: number } | undefined>;
  delete(sha256: string): Promise<void>;
  /** Hashes of stored objects behind `after`, ascending, at most `limit`; fewer than that only at the end. */
  list(after: string, limit: number): Promise<readonly string[]>;
}
