import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthorizationServer } from './authorization-server.ts';

export interface Protection {
  /** What its metadata (RFC 9728) names; absent = the server at the path /mcp of the address that was asked. */
  readonly resource?: string;
  /** Authorization servers that it names; absent = the given one. */
  readonly authorizationServers?: readonly string[];
  /** True while no token is good enough. */
  readonly isClosed?: () => boolean;
  readonly scope?: string;
  /** Scopes without which calls of tools are refused, as a challenge names them. */
  readonly wants?: (request: IncomingMessage) => string;
}

/** Every bearer token that a server was sent. */
export interface SeenTokens {
  readonly tokens: string[];
}

const METADATA = '/.well-known/oauth-protected-resource/mcp';

/** For `openHttpServer`: lets requests through that carry a token of the authorization server for this server. */
export const protectedBy =
  (server: AuthorizationServer, seen: SeenTokens, protection: Protection = {}) =>
  (request: IncomingMessage, response: ServerResponse): boolean => {
    const origin = `http://${request.headers.host}`;
    const resource = protection.resource ?? `${origin}/mcp`;
    if (request.url === METADATA) {
      const body = { resource, authorization_servers: protection.authorizationServers ?? [server.url] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return true;
    }
    const sent = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    if (sent !== '') seen.tokens.push(sent);
    if (protection.isClosed?.() !== true && server.accepts(sent, resource)) {
      const wanted = protection.wants?.(request) ?? '';
      const given = server.scopeOf(sent).split(' ');
      if (wanted.split(' ').every((one) => one === '' || given.includes(one))) return false;
      request.resume();
      response.writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="${wanted}"` }).end();
      return true;
    }
    const scope = protection.scope === undefined ? '' : `, scope="${protection.scope}"`;
    const challenge = `Bearer resource_metadata="${origin}${METADATA}"${scope}`;
    request.resume();
    response.writeHead(401, { 'www-authenticate': challenge }).end();
    return true;
  };
