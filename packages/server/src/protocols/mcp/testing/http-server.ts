import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';

export type TestEra = 'both' | '2026' | '2025';

export interface TestServerOptions {
  readonly era?: TestEra;
  /** Answers true when it has taken the request over. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** An MCP server on 127.0.0.1; `2025` keeps sessions as the servers of that time do. */
export const openHttpServer = async (
  factory: McpServerFactory,
  { era = 'both', intercept = () => false }: TestServerOptions = {},
) => {
  const requests: { readonly method: string; readonly headers: IncomingMessage['headers'] }[] = [];
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const handler = createMcpHandler(factory, era === '2026' ? { legacy: 'reject' } : {});
  const modern = toNodeHandler(handler);

  const legacy = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return known.handleRequest(request, response);
    if (id !== undefined) {
      response.writeHead(404).end();
      return;
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    const server = await factory({ era: 'legacy' });
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };

  const http = createServer((request, response) => {
    requests.push({ method: request.method ?? '', headers: request.headers });
    if (intercept(request, response)) return;
    if (era === '2025') void legacy(request, response);
    else void modern(request as Parameters<typeof modern>[0], response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    /** Tells clients of the newer era that resources changed. */
    resourcesChanged: () => handler.notify.resourcesChanged(),
    /** Forgets all sessions, as a restart does. */
    forget: () => sessions.clear(),
    close: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
};
