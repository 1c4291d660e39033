import type { Readable } from 'node:stream';
import type { CredentialCarrier } from '../../auth/contract.ts';

/** Flat list of header names (lower case) and values. */
export type HeaderList = string[];

/** Headers of a stream: code that passes it on neither keeps, changes nor gathers it. */
export const PASS_THROUGH: readonly string[] = ['cache-control', 'no-cache, no-transform', 'x-accel-buffering', 'no'];

/** Trailers by name. */
export type Trailers = Readonly<Record<string, string>>;

/** One piece of a stream, ready for either HTTP version; the chunked form is made once, however many readers get it. */
export interface StreamChunk {
  readonly bytes: Uint8Array;
  /** What `bytes` are the UTF-8 of, when it is text. */
  readonly text?: string;
  /** `bytes` with HTTP/1.1 chunk framing, as text when that is ASCII; filled in at first use. */
  chunked?: Uint8Array | string;
}

/** Request and answer of one HTTP call, the same for HTTP/1.1 and HTTP/2; protocol folders see nothing below it. */
export interface Exchange extends CredentialCarrier {
  readonly http2: boolean;
  /** Address of the other end of the connection, '' once it is gone. */
  readonly peerAddress: string;
  /** The caller showed a valid credential: the connection is no longer held to the limits of untrusted ones. */
  trust(): void;
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
  /**
   * The body as a stream, for who takes it at his own speed; not together with the two above. Its reader must not destroy
   * it.
   */
  bodyStream(): Readable;
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

/** Text of a stream; its bytes are made only where they are asked for. */
class TextChunk implements StreamChunk {
  readonly text: string;
  chunked?: Uint8Array | string;
  #bytes: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text);
    return this.#bytes;
  }
}

/** A text or bytes as a chunk of a stream. */
export const chunkOf = (data: string | Uint8Array): StreamChunk =>
  typeof data === 'string' ? new TextChunk(data) : { bytes: data };

/**
 * HTTP/1.1 chunk framing around a piece; empty pieces would end the body and are refused. ASCII text stays text, each of whose
 * characters is a byte (latin1): the socket then takes it without a buffer in between.
 */
export const chunkedForm = (chunk: StreamChunk): Uint8Array | string => {
  chunk.chunked ??= framed(chunk);
  return chunk.chunked;
};

const framed = (chunk: StreamChunk): Uint8Array | string => {
  const { text } = chunk;
  if (text !== undefined && Buffer.byteLength(text) === text.length)
    return `${text.length.toString(16)}\r\n${text}\r\n`;
  const { bytes } = chunk;
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
};

/** Path and query of a request target. */
export const splitTarget = (target: string): readonly [path: string, query: string] => {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
};

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

/** A request target as path and query; of one in absolute form, which is meant for proxies, also the host that it names. */
export const originForm = (target: string): { readonly host: string | undefined; readonly target: string } => {
  const absolute = target.startsWith('/') ? null : ABSOLUTE.exec(target);
  if (absolute === null) return { host: undefined, target };
  const rest = target.slice(absolute[0].length);
  return { host: absolute[1], target: rest.startsWith('/') ? rest : `/${rest}` };
};
