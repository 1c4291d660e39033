import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromBinary, fromJsonString, type Message, toBinary, toJson } from '@bufbuild/protobuf';
import { BinaryWriter, base64Encode, WireType } from '@bufbuild/protobuf/wire';
import { type Method, methods } from '@svc/api/methods';

/** An error as the real server words it. */
export class FakeFault extends Error {
  readonly code: string;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfterMs: number;
  readonly violations: readonly (readonly [field: string, description: string, reason: string])[];

  constructor(facts: Partial<FakeFault> & { code: string; reason: string }) {
    super(facts.message ?? `${facts.reason} happened`);
    this.code = facts.code;
    this.reason = facts.reason;
    this.metadata = facts.metadata ?? {};
    this.retryAfterMs = facts.retryAfterMs ?? 0;
    this.violations = facts.violations ?? [];
  }
}

/** What a stream handler may yield other than events: raw text, or the end of the connection without a word. */
export type StreamPiece = Message | { readonly raw: string } | 'cut';

export interface FakeCall {
  readonly headers: IncomingMessage['headers'];
  readonly query: URLSearchParams;
  readonly path: string;
  /** Resolves when the connection of this call's answer is gone or the answer complete. */
  readonly closed: Promise<void>;
}

export interface FakeHandlers {
  readonly unary?: Readonly<Record<string, (request: never, call: FakeCall) => Message | Promise<Message> | 'cut'>>;
  readonly streams?: Readonly<Record<string, (call: FakeCall) => AsyncIterable<StreamPiece> | Iterable<StreamPiece>>>;
}

/** A small server on loopback that speaks what the client speaks: Connect calls in binary and JSON, streams as JSON lines. */
export class FakeServer {
  readonly #server: Server;
  readonly calls: { readonly operation: string; readonly headers: IncomingMessage['headers'] }[] = [];
  handlers: FakeHandlers;
  #port = 0;

  constructor(handlers: FakeHandlers) {
    this.handlers = handlers;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Listens, after a `stop` on the same port again. */
  async start(): Promise<this> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
    const call = { headers: request.headers, query: url.searchParams, path: url.pathname, closed };
    const unary = methods.find((method) => method.rpcPath === url.pathname);
    if (unary !== undefined) return this.#answerUnary(unary, { call, body: Buffer.concat(chunks), response });
    const stream = methods.find((method) => method.kind === 'server_streaming' && isPathOf(method, url.pathname));
    if (stream !== undefined) return this.#answerStream(stream, call, response);
    response.writeHead(404).end('nothing here');
  }

  async #answerUnary(method: Method, given: { call: FakeCall; body: Buffer; response: ServerResponse }): Promise<void> {
    const { call, body, response } = given;
    this.calls.push({ operation: method.name, headers: call.headers });
    try {
      const handler = this.handlers.unary?.[method.name];
      if (handler === undefined) throw new FakeFault({ code: 'UNIMPLEMENTED', reason: 'METHOD_UNKNOWN' });
      const isJson = call.headers['content-type'] === 'application/json';
      const message = isJson ? fromJsonString(method.input, body.toString()) : fromBinary(method.input, body);
      const answer = await handler(message as never, call);
      if (answer === 'cut') return void response.socket?.destroy();
      if (isJson) {
        const text = JSON.stringify(toJson(method.output, answer, { alwaysEmitImplicit: true }));
        return void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      }
      response.writeHead(200, { 'content-type': 'application/proto' }).end(toBinary(method.output, answer));
    } catch (error) {
      if (!(error instanceof FakeFault)) throw error;
      response.writeHead(400, { 'content-type': 'application/json', 'x-request-id': 'req-1' }).end(connectBody(error));
    }
  }

  async #answerStream(method: Method, call: FakeCall, response: ServerResponse): Promise<void> {
    this.calls.push({ operation: method.name, headers: call.headers });
    const pieces = this.handlers.streams?.[method.name]?.(call) ?? [];
    const headers = { 'content-type': 'application/x-ndjson', 'x-request-id': 'req-2' };
    try {
      for await (const piece of pieces) {
        if (response.destroyed) return;
        if (!response.headersSent) response.writeHead(200, headers);
        if (piece === 'cut') {
          // What was written leaves before the connection does, as with a process that dies between two writes.
          await new Promise<void>((resolve) => response.write('\n', () => resolve()));
          return void response.socket?.destroy();
        }
        response.write('raw' in piece ? piece.raw : `${JSON.stringify(toJson(method.output, piece as Message))}\n`);
      }
      if (!response.headersSent) response.writeHead(200, headers);
      response.end();
    } catch (error) {
      if (!(error instanceof FakeFault)) throw error;
      const body = JSON.stringify({ error: restBody(error) });
      if (!response.headersSent)
        response.writeHead(503, { 'content-type': 'application/json', 'x-request-id': 'req-2' });
      response.end(`${body}\n`);
    }
  }
}

const isPathOf = (method: Method, path: string): boolean => {
  const pattern = method.http.path.replace(/[.*+?^$|()[\]\\]/g, '\\$&').replace(/\{[a-z_]+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path);
};

const restBody = (fault: FakeFault): unknown => ({
  code: 503,
  status: fault.code,
  message: fault.message,
  details: [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: fault.reason,
      domain: 'svc',
      metadata: fault.metadata,
    },
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: fault.violations.map(([field, description, reason]) => ({ field, description, reason })),
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${fault.retryAfterMs / 1_000}s` },
  ],
});

const connectBody = (fault: FakeFault): string => {
  const info = new BinaryWriter().tag(1, WireType.LengthDelimited).string(fault.reason);
  for (const [key, value] of Object.entries(fault.metadata)) {
    info.tag(3, WireType.LengthDelimited).fork();
    info.tag(1, WireType.LengthDelimited).string(key).tag(2, WireType.LengthDelimited).string(value).join();
  }
  const violations = new BinaryWriter();
  for (const texts of fault.violations) {
    violations.tag(1, WireType.LengthDelimited).fork();
    for (const [index, text] of texts.entries()) violations.tag(index + 1, WireType.LengthDelimited).string(text);
    violations.join();
  }
  const delay = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  delay.tag(1, WireType.Varint).int64(Math.floor(fault.retryAfterMs / 1_000));
  delay
    .tag(2, WireType.Varint)
    .int32((fault.retryAfterMs % 1_000) * 1_000_000)
    .join();
  const details = [
    { type: 'google.rpc.ErrorInfo', value: base64Encode(info.finish()) },
    { type: 'google.rpc.BadRequest', value: base64Encode(violations.finish()) },
    { type: 'google.rpc.RetryInfo', value: base64Encode(delay.finish()) },
    { type: 'example.Unknown', value: '' },
  ];
  return JSON.stringify({ code: fault.code.toLowerCase(), message: fault.message, details });
};
