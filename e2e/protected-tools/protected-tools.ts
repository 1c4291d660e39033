import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

type McpRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

const METADATA = '/.well-known/oauth-protected-resource/mcp';

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Both servers at one address; `calls` counts what its tool `greet` did. */
export class ProtectedTools {
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  readonly #challenges = new Map<string, string>();
  readonly #tokens = new Set<string>();
  readonly #mcp = toNodeHandler(createMcpHandler(() => this.#tools()));
  url = '';
  calls = 0;

  static async start(): Promise<ProtectedTools> {
    const tools = new ProtectedTools();
    await new Promise<void>((resolve) => tools.#http.listen(0, '127.0.0.1', resolve));
    tools.url = `http://127.0.0.1:${(tools.#http.address() as AddressInfo).port}`;
    return tools;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #tools(): McpServer {
    const server = new McpServer({ name: 'protected', version: '1' });
    server.registerTool('greet', { description: 'Greets.' }, () => {
      this.calls += 1;
      return { content: [{ type: 'text', text: 'good day' }] };
    });
    return server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    if (pathname === '/mcp') return this.#tool(request, response);
    const body = await bodyOf(request);
    if (pathname === METADATA)
      return json(response, 200, { resource: `${this.url}/mcp`, authorization_servers: [this.url] });
    if (pathname === '/.well-known/oauth-authorization-server') return json(response, 200, this.#metadata());
    if (pathname === '/register') return json(response, 201, { ...JSON.parse(body), client_id: randomUUID() });
    if (pathname === '/authorize') return this.#authorize(searchParams, response);
    if (pathname === '/token') return this.#token(new URLSearchParams(body), response);
    return void response.writeHead(404).end();
  }

  #tool(request: IncomingMessage, response: ServerResponse): void {
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    if (this.#tokens.has(token)) return void this.#mcp(request as McpRequest, response);
    const challenge = `Bearer resource_metadata="${this.url}${METADATA}"`;
    request.resume();
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  }

  #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      registration_endpoint: `${this.url}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
    };
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const code = randomUUID();
    this.#challenges.set(code, query.get('code_challenge') ?? '');
    const back = new URL(query.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  #token(form: URLSearchParams, response: ServerResponse): void {
    const code = form.get('code') ?? '';
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (this.#challenges.get(code) !== challenge) return json(response, 400, { error: 'invalid_grant' });
    this.#challenges.delete(code);
    const token = randomUUID();
    this.#tokens.add(token);
    json(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 3_600 });
  }
}
