import { Fault, type Steps } from '../../base/index.ts';
import type { ByteLimit } from '../../operations/index.ts';
import type { Codec } from '../codec/index.ts';
import { type Call, type Framing, limitedBy, type MethodEntry, type Wire } from '../dispatcher/index.ts';
import {
  COMPRESSED,
  type FormatName,
  FrameCache,
  frameOf,
  HEAD_BYTES,
  type MessageFormat,
  messageFormat,
  readRequest,
  sealFrame,
} from '../envelope/index.ts';
import type { FaultWriter } from '../faults/index.ts';
import {
  acceptedEncoding,
  compress,
  type HeaderList,
  LEAST_COMPRESSED_BYTES,
  type StreamChunk,
} from '../http/index.ts';
import { OK_TRAILERS, statusTrailers, trailersAsHeaders } from './status-trailer.ts';
import { grpcTimeoutMs } from './timeout.ts';

export interface GrpcParts {
  readonly codec: Codec;
  readonly faults: FaultWriter;
  readonly requestLimit: ByteLimit;
}

const wantsGzip = (call: Call): boolean => {
  const accept = call.exchange.header('grpc-accept-encoding');
  return accept !== undefined && acceptedEncoding(accept, ['gzip']) !== undefined;
};

/** One operation over gRPC in one of its two encodings. */
export class GrpcWire implements Wire {
  readonly transport = 'grpc';
  readonly #parts: GrpcParts;
  readonly #isClientStreaming: boolean;
  readonly #format: MessageFormat;
  readonly #frames: FrameCache;
  readonly #contentType: string;

  constructor(method: MethodEntry, encoding: FormatName, parts: GrpcParts) {
    this.#parts = limitedBy(method, parts);
    this.#isClientStreaming = method.clientStreaming;
    this.#format = messageFormat(parts.codec, method, encoding);
    this.#frames = new FrameCache(this.#format);
    this.#contentType = `application/grpc+${encoding}`;
  }

  timeoutMs(call: Call): number | undefined {
    return grpcTimeoutMs(call.exchange.header('grpc-timeout'));
  }

  read(call: Call): void {
    const { requestLimit: limit } = this.#parts;
    const encoding = call.exchange.header('grpc-encoding');
    readRequest(call, { format: this.#format, limit, encoding, isClientStreaming: this.#isClientStreaming });
  }

  *answering(call: Call, message: object): Steps<void> {
    const frame = yield* this.#format.encoding(message, HEAD_BYTES);
    const headers = this.#headers(call);
    if (frame.length < LEAST_COMPRESSED_BYTES || !wantsGzip(call)) {
      call.exchange.answerWithTrailers(headers, sealFrame(frame), OK_TRAILERS);
      return;
    }
    compress('gzip', frame.subarray(HEAD_BYTES), (error, packed) => {
      if (error !== null) return call.exchange.answerWithTrailers(headers, sealFrame(frame), OK_TRAILERS);
      headers.push('grpc-encoding', 'gzip');
      call.exchange.answerWithTrailers(headers, frameOf(packed, COMPRESSED), OK_TRAILERS);
    });
  }

  refuse(call: Call, fault: Fault): void {
    call.exchange.answer(200, [
      ...this.#headers(call),
      ...trailersAsHeaders(statusTrailers(fault, this.#parts.faults)),
    ]);
  }

  framing(call: Call): Framing {
    const gzip = wantsGzip(call);
    const frames = this.#frames;
    return {
      hasTrailers: true,
      headers: (asked) => (gzip ? [...this.#headers(asked), 'grpc-encoding', 'gzip'] : this.#headers(asked)),
      chunk: (message): StreamChunk => frames.chunk(message, gzip),
      end: (asked, fault) => asked.exchange.end(statusTrailers(fault, this.#parts.faults)),
    };
  }

  #headers(call: Call): HeaderList {
    const headers = ['content-type', this.#contentType, 'x-request-id', call.requestId];
    if (call.extraHeaders !== undefined) headers.push(...call.extraHeaders);
    return headers;
  }
}

/** UNIMPLEMENTED for a path that names no operation. */
export const unknownOperation = (path: string): Fault =>
  new Fault('UNIMPLEMENTED', 'METHOD_UNKNOWN', `no operation ${path.slice(0, 200)}`);
