import { Fault, type Steps } from '../../base/index.ts';
import { type Call, type Framing, limitedBy, type MethodEntry, type Wire } from '../dispatcher/index.ts';
import { decodeInto, type FormatName, type MessageFormat, messageFormat } from '../envelope/index.ts';
import { httpStatus } from '../faults/index.ts';
import { acceptedEncoding, compress, LEAST_COMPRESSED_BYTES, readRequestBody } from '../http/index.ts';
import {
  type ConnectParts,
  checkConnectVersion,
  connectErrorHeaders,
  connectHeaders,
  connectTimeoutMs,
} from './connect-parts.ts';
import { readGetMessage } from './get-query.ts';

/** One unary operation over Connect: POST in one encoding, or GET with the message in the query. */
export class ConnectUnaryWire implements Wire {
  readonly transport = 'connect';
  readonly #parts: ConnectParts;
  readonly #format: MessageFormat;
  readonly #contentType: string;

  constructor(method: MethodEntry, encoding: FormatName, parts: ConnectParts) {
    this.#parts = limitedBy(method, parts);
    this.#format = messageFormat(parts.codec, method, encoding);
    this.#contentType = `application/${encoding}`;
  }

  timeoutMs(call: Call): number | undefined {
    return connectTimeoutMs(call);
  }

  read(call: Call): void {
    const done = (body: Buffer | Fault): void =>
      body instanceof Fault ? call.fail(body) : decodeInto(call, this.#format, body);
    if (call.exchange.method === 'POST') {
      checkConnectVersion(call);
      readRequestBody(call.exchange, this.#parts.requestLimit, done);
    } else readGetMessage(call.exchange.query, this.#parts.requestLimit, done);
  }

  *answering(call: Call, message: object): Steps<void> {
    const { exchange } = call;
    const body = yield* this.#format.encoding(message, 0);
    const headers = connectHeaders(call, this.#contentType, this.#parts.origins);
    const accept = body.length < LEAST_COMPRESSED_BYTES ? undefined : exchange.header('accept-encoding');
    const encoding = acceptedEncoding(accept, ['br', 'gzip']);
    if (encoding === undefined) return exchange.answer(200, headers, body);
    compress(encoding, body, (error, packed) => {
      if (error !== null) return exchange.answer(200, headers, body);
      exchange.answer(200, [...headers, 'content-encoding', encoding, 'vary', 'accept-encoding'], packed);
    });
  }

  refuse(call: Call, fault: Fault): void {
    const { faults, origins } = this.#parts;
    call.exchange.answer(
      httpStatus(fault),
      connectErrorHeaders(call, fault, origins),
      JSON.stringify(faults.connect(fault)),
    );
  }

  framing(): Framing {
    throw new Error('a unary operation has no stream');
  }
}
