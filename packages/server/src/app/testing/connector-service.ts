import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

/** A request that the service got. */
export interface ServiceRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the service answers; a body of text is sent as it is. 'silence': nothing until it is closed. */
export type ServiceAnswer = { readonly status: number; readonly body?: unknown } | 'silence';

const TAKEN: ServiceAnswer = { status: 200, body: { accepted: true, disposition: 'accepted' } };

/** A connector service on this machine, as the contract over HTTP wants it: it notes what it gets, and answers as a test says. */
export class ConnectorServiceUnderTest {
  readonly requests: ServiceRequest[] = [];
  /** Answers to registrations by the class; 200 `{}` for others. */
  readonly answers = new Map<string, ServiceAnswer>();
  /** Answers to the next deliveries, oldest first; without one the service takes them. */
  readonly deliveryAnswers: ServiceAnswer[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const path = request.url ?? '';
        const text = Buffer.concat(chunks).toString('utf8');
        this.requests.push({ path, headers: request.headers, body: JSON.parse(text === '' ? '{}' : text) });
        const { connectorClass = '' } = (this.requests.at(-1)?.body ?? {}) as { readonly connectorClass?: string };
        const answer =
          path === '/v1/deliveries'
            ? (this.deliveryAnswers.shift() ?? TAKEN)
            : (this.answers.get(connectorClass) ?? { status: 200, body: {} });
        if (answer === 'silence') return;
        const { status, body = {} } = answer;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      });
    });
  }

  /** One service for all tests of the file. */
  static ofSuite(): ConnectorServiceUnderTest {
    const service = new ConnectorServiceUnderTest();
    beforeAll(() => service.listen());
    afterAll(() => service.close());
    return service;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Registrations of a class, oldest first. */
  registrations(name: string): readonly ServiceRequest[] {
    return this.requests.filter(
      ({ path, body }) => path === '/v1/clusters/register' && body['connectorClass'] === name,
    );
  }

  /** Deliveries to a conversation, in the order in which they came. */
  deliveries(conversation: string): readonly ServiceRequest[] {
    return this.requests.filter(
      ({ path, body }) => path === '/v1/deliveries' && body['externalConversationId'] === conversation,
    );
  }

  /** The secret that the class was last registered with. */
  secretOf(name: string): string {
    return String(this.registrations(name).at(-1)?.body['callbackAuthKey']);
  }
}
