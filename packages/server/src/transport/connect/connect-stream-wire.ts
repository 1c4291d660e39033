import type { Fault, Steps } from '../../base/index.ts';
import type { Call, Framing, MethodEntry, Wire } from '../dispatcher/index.ts';
import {
  type FormatName,
  FrameCache,
  frameOf,
  HEAD_BYTES,
  type MessageFormat,
  messageFormat,
  readRequest,
} from '../envelope/index.ts';
import { messageTooLarge } from '../faults/index.ts';
import { acceptedEncoding, chunkOf, type HeaderList, PASS_THROUGH } from '../http/index.ts';
import { type ConnectParts, checkConnectVersion, connectHeaders, connectTimeoutMs } from './connect-parts.ts';

const END_OF_STREAM = 0x02;

const wantsGzip = (call: Call): boolean =>
  acceptedEncoding(call.exchange.header('connect-accept-encoding'), ['gzip']) !== undefined;

/** One streaming operation over Connect; every end, with a fault or without, is the last envelope. */
export class ConnectStreamWire implements Wire {
  readonly transport = 'connect';
  readonly #parts: ConnectParts;
  readonly #isClientStreaming: boolean;
  readonly #format: MessageFormat;
  readonly #frames: FrameCache;
  readonly #contentType: string;

  constructor(method: MethodEntry, encoding: FormatName, parts: ConnectParts) {
    this.#parts = parts;
    this.#isClientStreaming = method.clientStreaming;
    this.#format = messageFormat(parts.codec, method, encoding);
    this.#frames = new FrameCache(this.#format);
    this.#contentType = `application/connect+${encoding}`;
  }

  timeoutMs(call: Call): number | undefined {
    return connectTimeoutMs(call);
  }

  read(call: Call): void {
    checkConnectVersion(call);
    const { requestLimit: limit } = this.#parts;
    const isTold =
      !this.#isClientStreaming && Number(call.exchange.header('content-length')) > limit.bytes + HEAD_BYTES;
    if (isTold) throw messageTooLarge(limit);
    const encoding = call.exchange.header('connect-content-encoding');
    readRequest(call, { format: this.#format, limit, encoding, isClientStreaming: this.#isClientStreaming });
  }

  answering(): Steps<void> {
    throw new Error('a streaming operation has no single answer');
  }

  refuse(call: Call, fault: Fault): void {
    call.exchange.answer(200, this.#headers(call, false), this.#endFrame(fault));
  }

  framing(call: Call): Framing {
    const gzip = wantsGzip(call);
    return {
      headers: (asked) => [...this.#headers(asked, gzip), ...PASS_THROUGH],
      chunk: (message) => this.#frames.chunk(message, gzip),
      end: (asked, fault) => {
        asked.exchange.write(chunkOf(this.#endFrame(fault)));
        asked.exchange.end();
      },
    };
  }

  #endFrame(fault: Fault | undefined): Buffer {
    const end = fault === undefined ? {} : { error: this.#parts.faults.connect(fault) };
    return frameOf(Buffer.from(JSON.stringify(end)), END_OF_STREAM);
  }

  #headers(call: Call, gzip: boolean): HeaderList {
    const headers = connectHeaders(call, this.#contentType, this.#parts.origins);
    if (gzip) headers.push('connect-content-encoding', 'gzip');
    return headers;
  }
}
