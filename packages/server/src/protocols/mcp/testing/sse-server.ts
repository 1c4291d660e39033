import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JSONRPCMessage, McpServerFactory, Transport } from '@modelcontextprotocol/server';

/** One client of the older HTTP: what it gets comes in one long event stream, what it sends is posted elsewhere. */
class SseTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#response.write('event: endpoint\ndata: /messages\n\n');
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    this.#response.end();
    this.onclose?.();
  }
}

/** A server of the older HTTP on 127.0.0.1, for one client. */
export const openSseServer = async (factory: McpServerFactory) => {
  let transport: SseTransport | undefined;
  const http = createServer(async (request, response) => {
    if (request.method === 'GET') {
      transport = new SseTransport(response);
      const server = await factory({ era: 'legacy' });
      await server.connect(transport);
      return;
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    response.writeHead(202).end();
    transport?.onmessage?.(JSON.parse(text) as JSONRPCMessage);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sse`,
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
};
