import type { Fault, Steps } from '../../base/index.ts';
import type { HeaderList, StreamChunk } from '../http/index.ts';
import type { Call } from './call.ts';

/** Bodies up to this size are decoded in one go, which takes less than ten milliseconds at worst; larger ones in steps. */
export const DECODED_AT_ONCE_BYTES = 16 * 1024;

/** What one protocol does for a call; stateless, one object per protocol and variant. */
export interface Wire {
  /** `rest`, `grpc`, `grpc-web`, `connect`: for the request log and metrics. */
  readonly transport: string;
  /** Deadline asked by the client in milliseconds; throws INVALID_ARGUMENT when malformed. */
  timeoutMs(call: Call): number | undefined;
  /** Reads and decodes the request, then calls `call.execute` once, or `call.fail`, or throws a Fault. */
  read(call: Call): void;
  /** Answers a unary call, in steps of a few milliseconds: an answer may have megabytes. */
  answering(call: Call, message: object): Steps<void>;
  /** Answers with a fault before anything else was sent. */
  refuse(call: Call, fault: Fault): void;
  /** How the call's stream is cut into chunks. */
  framing(call: Call): Framing;
}

export interface Framing {
  headers(call: Call): HeaderList;
  /** True where the stream ends with HTTP trailers. */
  readonly hasTrailers?: boolean;
  /** Bytes of one message; the same message object gives the same chunk object. `isFirst` for lists with separators. */
  chunk(message: object, id: string, isFirst: boolean): StreamChunk;
  /** Sent right after the headers. */
  readonly opening?: StreamChunk;
  /** Sent every 15 s; absent where the protocol or HTTP/2 keeps the connection alive. */
  readonly keepAlive?: StreamChunk;
  /** Ends an open stream: with OK, or with a fault. */
  end(call: Call, fault: Fault | undefined, isFirst: boolean): void;
}
