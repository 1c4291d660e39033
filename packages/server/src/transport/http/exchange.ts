import type { CredentialCarrier } from '../../auth/contract.ts';

/** Flat list of header names (lower case) and values. */
export type HeaderList = string[];

/** Trailers by name. */
export type Trailers = Readonly<Record<string, string>>;

/** One piece of a stream, ready for either HTTP version; the chunked form is made once, however many readers get it. */
export interface StreamChunk {
  readonly bytes: Uint8Array;
  /** `bytes` with HTTP/1.1 chunk framing; filled in at first use. */
  chunked?: Uint8Array;
}

/** Request and answer of one HTTP call, the same for HTTP/1.1 and HTTP/2; protocol folders see nothing below it. */
export interface Exchange extends CredentialCarrier {
  readonly http2: boolean;
  /** Address of the other end of the connection, '' once it is gone. */
  readonly peerAddress: string;
  readonly method: string;
  /** Raw path without query. */
  readonly path: string;
  /** Raw query without `?`. */
  readonly query: string;
  /** False when the request surely has no body. */
  readonly hasBody: boolean;
  /** Sum of the sizes of all header names and values, the request line aside. */
  headerBytes(): number;
  /** Hands over the whole body as sent, or undefined once it is larger than `limit`. Silent when the peer goes away. */
  readBody(limit: number, take: (body: Buffer | undefined) => void): void;
  /** Hands over the body piece by piece, for the one bidirectional service. */
  readPieces(take: (piece: Buffer) => void, ended: () => void): void;
  /** Answers whole. The list is the exchange's own afterwards. */
  answer(status: number, headers: HeaderList, body?: string | Uint8Array): void;
  /** Answers whole with HTTP/2 trailers. */
  answerWithTrailers(headers: HeaderList, body: Uint8Array, trailers: Trailers): void;
  /** Starts a streamed answer, over HTTP/2 with trailers to come when asked. */
  open(status: number, headers: HeaderList, hasTrailers?: boolean): void;
  /** Writes one chunk; false while the reader lags. After the peer has gone it does nothing. */
  write(chunk: StreamChunk): boolean;
  /** Chunks that `work` writes reach the connection in one piece. */
  together(work: () => void): void;
  /** Ends a streamed answer, with trailers when it was opened so. */
  end(trailers?: Trailers): void;
  /** Ends a streamed answer that is not whole, so that the peer sees it broken instead of waiting for the rest. */
  breakOff(): void;
  readonly writable: boolean;
  /** True once nothing can reach the peer any more. */
  readonly closed: boolean;
  /** Called every time a lagging reader has caught up; one listener. */
  onDrained(notify: () => void): void;
  /** Called once when the connection or stream is gone before the answer ended; at once when it is gone already. */
  onGone(notify: () => void): void;
}

export const chunkOf = (data: string | Uint8Array): StreamChunk => ({
  bytes: typeof data === 'string' ? Buffer.from(data) : data,
});

/** HTTP/1.1 chunk framing around a piece; empty pieces would end the body and are refused. */
export const chunkedForm = (chunk: StreamChunk): Uint8Array => {
  if (chunk.chunked === undefined) {
    chunk.chunked = Buffer.concat([
      Buffer.from(`${chunk.bytes.length.toString(16)}\r\n`),
      chunk.bytes,
      Buffer.from('\r\n'),
    ]);
  }
  return chunk.chunked;
};

/** Path and query of a request target. */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
};
