import { connect } from 'node:http2';
import type { Method } from '@svc/api/methods';

/** What a refusal says, whatever carried it. */
export interface Refused {
  /** Name of the gRPC code; 'OK' where nothing was refused. */
  readonly code: string;
  readonly text: string;
}

const CODES = ['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND'];
const nameOf = (code: string | null | undefined): string => CODES[Number(code)] ?? `code ${code}`;

const framed = (bytes: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

/** Sends any bytes as a unary request over Connect. */
const connectCall = async (base: string, method: Method, sent: Sent): Promise<Refused> => {
  const answer = await fetch(base + method.rpcPath, {
    method: 'POST',
    headers: { 'content-type': `application/${sent.encoding}` },
    body: Buffer.from(sent.bytes),
  });
  const text = await answer.text();
  if (answer.ok) return { code: 'OK', text };
  return { code: (JSON.parse(text) as { code: string }).code.toUpperCase(), text };
};

/** The same over gRPC-web: status in the headers or in the last frame. */
const webCall = async (base: string, method: Method, sent: Sent): Promise<Refused> => {
  const answer = await fetch(base + method.rpcPath, {
    method: 'POST',
    headers: { 'content-type': `application/grpc-web+${sent.encoding}` },
    body: framed(sent.bytes),
  });
  const text = await answer.text();
  const status = answer.headers.get('grpc-status') ?? /grpc-status:\s*(\d+)/.exec(text)?.[1];
  return { code: nameOf(status), text: decodeURIComponent(answer.headers.get('grpc-message') ?? text) };
};

export interface Sent {
  readonly encoding: 'proto' | 'json';
  readonly bytes: Uint8Array;
}

/** Unary calls whose bodies are given byte by byte; one HTTP/2 connection serves all of gRPC. */
export class RawCalls implements Disposable {
  readonly #base: string;
  readonly #session: ReturnType<typeof connect>;

  constructor(base: string) {
    this.#base = base;
    this.#session = connect(base);
  }

  send(protocol: 'connect' | 'grpc' | 'grpc-web', method: Method, sent: Sent): Promise<Refused> {
    if (protocol === 'connect') return connectCall(this.#base, method, sent);
    return protocol === 'grpc' ? this.#grpc(method, sent) : webCall(this.#base, method, sent);
  }

  #grpc(method: Method, sent: Sent): Promise<Refused> {
    const { promise, resolve, reject } = Promise.withResolvers<Refused>();
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': method.rpcPath,
      'content-type': `application/grpc+${sent.encoding}`,
      te: 'trailers',
    });
    const seen: Record<string, unknown> = {};
    stream.on('response', (headers) => Object.assign(seen, headers));
    stream.on('trailers', (headers) => Object.assign(seen, headers));
    stream.on('error', reject);
    stream.on('close', () =>
      resolve({
        code: nameOf(seen['grpc-status'] as string | undefined),
        text: decodeURIComponent(String(seen['grpc-message'] ?? '')),
      }),
    );
    stream.resume();
    stream.end(framed(sent.bytes));
    return promise;
  }

  [Symbol.dispose](): void {
    this.#session.close();
  }
}
