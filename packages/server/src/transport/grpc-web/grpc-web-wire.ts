import type { Fault } from '../../base/index.ts';
import type { Call, Framing, MethodEntry, Wire } from '../dispatcher/index.ts';
import {
  type FormatName,
  FrameCache,
  type MessageFormat,
  messageFormat,
  messageFrame,
  readRequest,
} from '../envelope/index.ts';
import { type GrpcParts, grpcTimeoutMs, statusTrailers } from '../grpc/index.ts';
import { acceptedEncoding, chunkOf, type HeaderList, type OriginRules, PASS_THROUGH } from '../http/index.ts';
import { addOrigin } from '../rest/index.ts';
import { trailerFrame } from './trailer-frame.ts';
import { encodeWebText, webText } from './web-text.ts';

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
    this.#parts = parts;
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

  answer(call: Call, message: object): void {
    const gzip = wantsGzip(call);
    const frame = this.#shape(messageFrame(this.#format, message, gzip));
    call.exchange.answer(200, this.#headers(call, gzip), Buffer.concat([frame, this.#trailers(undefined)]));
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
