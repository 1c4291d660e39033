import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a client sent, as it was on the wire. */
interface WireRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface WireAnswer {
  /** 200 when absent. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written one after the other, each in its own packet. */
  readonly chunks?: readonly (string | Uint8Array)[];
  /**
   * What follows the chunks: a proper end, a broken connection, or nothing ever. `silent` sends not even headers, `reset` breaks the connection instead of them.
   */
  readonly end?: 'end' | 'destroy' | 'hang' | 'silent' | 'reset';
}

type Answerer = (request: WireRequest, index: number) => WireAnswer;

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const parse = (text: string): Readonly<Record<string, unknown>> => {
  const value: unknown = text === '' ? {} : JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
};

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A real HTTP server on a free local port that answers by script and keeps every request. */
export class WireServer {
  readonly requests: WireRequest[] = [];
  /** Requests whose connection the client closed before the answer was complete. */
  abandoned = 0;
  /** Decides about each request; tests assign it. */
  answer: Answerer = () => ({ status: 500 });
  readonly #server: Server;
  readonly #arrivals: (() => void)[] = [];
  readonly #departures: (() => void)[] = [];

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 1000 }, (request, response) => {
      this.#handle(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(): Promise<WireServer> {
    const server = new WireServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when a request beyond those already seen arrives. */
  async nextRequest(): Promise<void> {
    await new Promise<void>((resolve) => this.#arrivals.push(resolve));
  }

  /** Resolves when a client next gives up on an answer. */
  async nextAbandoned(): Promise<void> {
    await new Promise<void>((resolve) => this.#departures.push(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => {
      if (response.writableFinished) return;
      this.abandoned += 1;
      for (const resolve of this.#departures.splice(0)) resolve();
    });
    const text = await readBody(request);
    const received: WireRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: parse(text),
    };
    this.requests.push(received);
    const answer = this.answer(received, this.requests.length - 1);
    for (const resolve of this.#arrivals.splice(0)) resolve();
    if (answer.end === 'reset') response.socket?.resetAndDestroy();
    else if (answer.end !== 'silent') await this.#write(response, answer);
  }

  async #write(response: ServerResponse, answer: WireAnswer): Promise<void> {
    const type = (answer.status ?? 200) < 300 ? 'text/event-stream' : 'application/json';
    response.socket?.setNoDelay(true);
    response.writeHead(answer.status ?? 200, { 'content-type': type, ...answer.headers });
    response.flushHeaders();
    for (const chunk of answer.chunks ?? []) {
      response.write(chunk);
      await nextTick();
    }
    if (answer.end === 'destroy') response.socket?.destroySoon();
    else if (answer.end !== 'hang') response.end();
  }
}
