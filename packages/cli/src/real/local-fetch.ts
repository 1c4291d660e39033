import type { IncomingMessage } from 'node:http';
import process from 'node:process';
import type { ClientAnswer, ClientFetch, ClientRequest } from '@svc/client';

/**
 * `fetch` by node:http for servers on this machine: loading the implementation of `fetch` takes 50 ms of CPU, more than any call. Other
 * addresses, TLS and redirects are left to `fetch`, which handles proxies and compression.
 */
export const localFetch: ClientFetch = async (url, request) => {
  const target = new URL(url);
  const isLocal = target.protocol === 'http:' && /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(target.hostname);
  if (!isLocal) return globalThis.fetch(url, request);
  const incoming = await send(target, request);
  const { statusCode: status = 0 } = incoming;
  if (status < 300 || status >= 400) return answerOf(incoming, status);
  incoming.resume();
  return globalThis.fetch(url, request);
};

const send = (target: URL, request: ClientRequest): Promise<IncomingMessage> => {
  // An import would read all its exports, including the WebSocket that loads the implementation of `fetch`.
  const http = process.getBuiltinModule('node:http');
  const { method, headers, body, signal } = request;
  return new Promise((resolve, reject) => {
    const options = { method, headers, ...(signal === undefined ? {} : { signal }) };
    http.request(target, options, resolve).once('error', reject).end(body);
  });
};

const answerOf = (incoming: IncomingMessage, status: number): ClientAnswer => {
  const bytes = async (): Promise<Buffer<ArrayBuffer>> => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  return {
    status,
    headers: { get: (name) => [incoming.headers[name.toLowerCase()] ?? null].flat()[0] ?? null },
    body: incoming,
    text: async () => (await bytes()).toString('utf8'),
    arrayBuffer: async () => new Uint8Array(await bytes()).buffer,
  };
};
