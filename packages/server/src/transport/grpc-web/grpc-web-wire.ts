import { type Fault, joining, type Steps } from '../../base/index.ts';
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
import { type GrpcParts, grpcTimeoutMs, statusTrailers } from '../grpc/index.ts';
import {
  acceptedEncoding,
  chunkOf,
  compress,
  type HeaderList,
  LEAST_COMPRESSED_BYTES,
  type OriginRules,
  PASS_THROUGH,
} from '../http/index.ts';
import { addOrigin } from '../rest/index.ts';
import { trailerFrame } from './trailer-frame.ts';
import { encodeWebText, encodingWebText, webText } from './web-text.ts';

export interface GrpcWebParts extends GrpcParts {
  readonly origins: OriginRules;
}

export interface WebVariant {
  readonly format: FormatName;
  readonly text: boolean;
}

const keep = (frame: Buffer): Buffer => frame;

const wantsGzip = (call: Call): boolean =>
  acceptedEncoding(call.exchange.header('grpc-accept-encoding'), ['gzip']) !== undefined;

/** One operation over gRPC-web, binary or base64, over either HTTP version; trailers travel in a final frame. */
export class GrpcWebWire implements Wire {
  readonly transport = 'grpc-web';
  readonly #parts: GrpcWebParts;
  readonly #isClientStreaming: boolean;
  readonly #format: MessageFormat;
  readonly #frames: FrameCache;
  readonly #isText: boolean;
  readonly #shape: (frame: Buffer) => Buffer;
  readonly #contentType: string;

  constructor(method: MethodEntry, variant: WebVariant, parts: GrpcWebParts) {
    this.#parts = limitedBy(method, parts);
    this.#isClientStreaming = method.clientStreaming;
    this.#format = messageFormat(parts.codec, method, variant.format);
    this.#isText = variant.text;
    this.#shape = variant.text ? encodeWebText : keep;
    this.#frames = new FrameCache(this.#format, this.#shape);
    this.#contentType = `application/grpc-web${variant.text ? '-text' : ''}+${variant.format}`;
  }

  timeoutMs(call: Call): number | undefined {
    return grpcTimeoutMs(call.exchange.header('grpc-timeout'));
  }

  read(call: Call): void {
    const { requestLimit: limit } = this.#parts;
    readRequest(call, {
      format: this.#format,
      limit,
      encoding: call.exchange.header('grpc-encoding'),
      isClientStreaming: this.#isClientStreaming,
      ...(this.#isText ? { text: webText } : {}),
    });
  }

  *answering(call: Call, message: object): Steps<void> {
    const gzip = wantsGzip(call);
    const frame = yield* this.#format.encoding(message, HEAD_BYTES);
    const headers = this.#headers(call, gzip);
    if (!gzip || frame.length < LEAST_COMPRESSED_BYTES) {
      const shaped = this.#isText ? yield* encodingWebText(sealFrame(frame)) : sealFrame(frame);
      call.exchange.answer(200, headers, yield* joining([shaped, this.#trailers(undefined)]));
      return;
    }
    compress('gzip', frame.subarray(HEAD_BYTES), (error, packed) => {
      const sealed = error === null ? frameOf(packed, COMPRESSED) : sealFrame(frame);
      call.exchange.answer(200, headers, Buffer.concat([this.#shape(sealed), this.#trailers(undefined)]));
    });
  }

  refuse(call: Call, fault: Fault): void {
    call.exchange.answer(200, this.#headers(call, false), this.#trailers(fault));
  }

  framing(call: Call): Framing {
    const gzip = wantsGzip(call);
    return {
      headers: (asked) => [...this.#headers(asked, gzip), ...PASS_THROUGH],
      chunk: (message) => this.#frames.chunk(message, gzip),
      end: (asked, fault) => {
        asked.exchange.write(chunkOf(this.#trailers(fault)));
        asked.exchange.end();
      },
    };
  }

  #trailers(fault: Fault | undefined): Buffer {
    return this.#shape(trailerFrame(statusTrailers(fault, this.#parts.faults)));
  }

  #headers(call: Call, gzip: boolean): HeaderList {
    const headers = ['content-type', this.#contentType, 'x-request-id', call.requestId];
    if (gzip) headers.push('grpc-encoding', 'gzip');
    if (call.extraHeaders !== undefined) headers.push(...call.extraHeaders);
    return addOrigin(headers, call.origin, this.#parts.origins);
  }
}
