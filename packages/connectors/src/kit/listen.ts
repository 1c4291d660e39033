import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectorService } from './connector-service.ts';

/** Webhooks with pictures of some platforms have a few MiB; svc sends at most 1. */
const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
/** How long stopping waits for requests that are being answered. */
const STOP_LIMIT_MS = 25_000;

/** A connector service that takes requests. */
export interface ListeningConnector {
  readonly url: string;
  /** Takes no more requests, lets those that run end, then ends the connection to the platform. */
  stop(): Promise<void>;
}

/** Opens a port for a connector service and starts it. A platform that cannot be reached at first does not close the port. */
export async function listen(
  service: ConnectorService,
  options: { readonly host: string; readonly port: number; readonly onStartFailed: (error: unknown) => void },
): Promise<ListeningConnector> {
  const server = createServer((incoming, outgoing) => {
    outgoing.once('finish', () => {
      // While stopping, a connection that was kept open for further requests would hold up the end.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    void respond(service, incoming, outgoing);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  try {
    await service.start();
  } catch (error) {
    options.onStartFailed(error);
  }
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    stop: async () => {
      await close(server);
      await service.stop();
    },
  };
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const limit = setTimeout(() => server.closeAllConnections(), STOP_LIMIT_MS);
  await closed;
  clearTimeout(limit);
}

async function respond(service: ConnectorService, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await readBody(incoming);
  if (body === undefined) {
    outgoing.writeHead(413, { connection: 'close' }).end('the body is too large\n');
    return;
  }
  const request = requestOf(incoming, body);
  if (request === undefined) {
    outgoing.writeHead(400).end('the address or the method of this request is not valid\n');
    return;
  }
  const answer = await service.handle(request);
  const bytes = Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(bytes);
}

/** The whole body; undefined when it is larger than the limit or the client has left. */
async function readBody(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Leaving the loop must not close the connection: the client gets an answer.
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > BODY_LIMIT_BYTES) return undefined;
      chunks.push(chunk);
    }
  } catch {
    // The connection broke in the middle of the body: the client sees no answer and sends the request again.
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Undefined for what Node.js accepts and the Fetch standard does not: an address such as `//`, the method TRACE. */
function requestOf(incoming: IncomingMessage, body: Buffer<ArrayBuffer>): Request | undefined {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const item of Array.isArray(value) ? value : [value]) if (item !== undefined) headers.append(name, item);
  }
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  // The path may contain anything; a bad Host header must not decide what a request is.
  const url = URL.parse(incoming.url ?? '/', 'http://connector.invalid');
  if (url === null) return undefined;
  url.host = hostOf(incoming) ?? url.host;
  try {
    return new Request(url, { method, headers, ...(hasBody ? { body } : {}) });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const hostOf = (incoming: IncomingMessage): string | undefined => {
  const { host } = incoming.headers;
  return host !== undefined && /^[\w.:[\]-]+$/.test(host) ? host : undefined;
};
