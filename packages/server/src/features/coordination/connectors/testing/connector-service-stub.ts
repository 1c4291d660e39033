import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the service got it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the service answers; `hang` keeps the caller waiting. */
export type StubAnswer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Sent as it is when it is a text, else as JSON. */
      readonly body?: unknown;
    }
  | 'hang';

const ACCEPTED = { body: { accepted: true, disposition: 'accepted' } } as const;

/** A connector service on 127.0.0.1 that keeps what it got and answers as a test says. It takes each delivery once, by its id. */
export class ConnectorServiceStub {
  readonly seen: SeenRequest[] = [];
  /** Ids of the deliveries that the service took over, in order. */
  readonly taken: string[] = [];
  /** What to answer next, oldest first; without one the service accepts. */
  readonly answers: StubAnswer[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as SeenRequest['body'];
        this.seen.push({ path: request.url ?? '', headers: request.headers, body });
        const answer = this.answers.shift() ?? this.#take(body);
        if (answer === 'hang') return;
        const { status = 200, headers = {}, body: sent = {} } = answer;
        response.writeHead(status, { 'content-type': 'application/json', ...headers });
        response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
      });
    });
  }

  /** Bodies of deliveries, in the order in which they came. */
  get deliveries(): readonly SeenRequest['body'][] {
    return this.seen.filter(({ path }) => path === '/v1/deliveries').map(({ body }) => body);
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  start(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #take({ deliveryId }: SeenRequest['body']): StubAnswer {
    const id = String(deliveryId);
    if (this.taken.includes(id)) return { body: { accepted: false, disposition: 'duplicate' } };
    this.taken.push(id);
    return ACCEPTED;
  }
}
