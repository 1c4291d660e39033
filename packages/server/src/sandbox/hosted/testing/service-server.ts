import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** A request of a client, with its body. */
export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly response: ServerResponse;
}

/** A body of JSON as an object. */
export const jsonOf = ({ body }: ServiceRequest): Record<string, unknown> =>
  body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Record<string, unknown>);

export const answer = ({ response }: ServiceRequest, status: number, value?: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(value === undefined ? '' : JSON.stringify(value));
};

/** A service under test on this machine. */
export interface ServiceServer {
  readonly url: string;
  /** Method and path of every request, in their order. */
  readonly requests: string[];
  /** Answers a request in place of the service: true when it did. */
  intercept: ((request: ServiceRequest) => boolean) | undefined;
  close(): Promise<void>;
}

/** Listens on 127.0.0.1. */
export const listen = async (
  handle: (request: ServiceRequest) => void,
  upgrade?: (request: IncomingMessage, socket: Duplex) => void,
): Promise<ServiceServer & { readonly server: Server }> => {
  const requests: string[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', headers } = incoming;
      const url = new URL(incoming.url ?? '', 'http://service.test');
      const request = { method, url, headers, body: Buffer.concat(chunks), response };
      requests.push(`${method} ${url.pathname}`);
      if (opened.intercept?.(request) !== true) handle(request);
    });
  });
  if (upgrade !== undefined) server.on('upgrade', upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const opened: ServiceServer & { readonly server: Server } = {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    intercept: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return opened;
};
