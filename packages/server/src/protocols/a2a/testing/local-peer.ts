import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request of JSON-RPC. */
export type Rpc = { readonly id: unknown; readonly method: string; readonly params: Record<string, unknown> };
/** What a peer does with a request. */
export type Reply = (rpc: Rpc, response: ServerResponse) => void;

/** A peer that answers what the test wants, and notes what it is sent. */
export class LocalPeer {
  readonly requests: { readonly path: string; readonly authorization: string; readonly body: string }[] = [];
  /** Members that its card has in addition or instead. */
  card: Record<string, unknown> = {};
  reply: Reply = () => undefined;
  /** Answers everything, the card included. */
  raw: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  #server: Server | undefined;
  #port = 0;

  async start(): Promise<void> {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        const { authorization = '' } = request.headers;
        this.requests.push({ path: request.url ?? '', authorization, body });
        if (this.raw?.(request, response) === true) return;
        if (request.url?.startsWith('/card') === true) json(response, { ...this.#card(), ...this.card });
        else this.reply(JSON.parse(body) as Rpc, response);
      });
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  close(): void {
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  #card(): Record<string, unknown> {
    const supportedInterfaces = [{ url: `${this.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
    return { name: 'far', description: '', version: '1', supportedInterfaces, capabilities: {}, skills: [] };
  }
}

/** Answers with JSON. */
export const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** The answer to a request. */
export const answer = (rpc: Rpc, result: unknown) => ({ jsonrpc: '2.0', id: rpc.id, result });
