import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Registration {
  readonly connectorClass: string;
  readonly callbackAuthKey: string;
}

/** The service of a messaging platform on this machine: takes registrations, and deliveries of the class `chat` only. */
export class ChatPlatform implements AsyncDisposable {
  readonly #server: Server;
  readonly #secrets = new Map<string, string>();

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const body = (await json(request)) as Registration;
      response.setHeader('content-type', 'application/json');
      if (request.url === '/v1/clusters/register') {
        this.#secrets.set(body.connectorClass, body.callbackAuthKey);
        return void response.end('{}');
      }
      if (request.url !== '/v1/deliveries') return void response.writeHead(404).end('{}');
      const isTaken = body.connectorClass === 'chat';
      response.writeHead(isTaken ? 200 : 503);
      response.end(JSON.stringify(isTaken ? { accepted: true, disposition: 'accepted' } : { error: 'closed' }));
    });
  }

  static async open(): Promise<ChatPlatform> {
    const platform = new ChatPlatform();
    await new Promise<void>((resolve) => platform.#server.listen(0, '127.0.0.1', resolve));
    return platform;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** With which the class calls back; undefined until it is registered. */
  secretOf(connectorClass: string): string | undefined {
    return this.#secrets.get(connectorClass);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
