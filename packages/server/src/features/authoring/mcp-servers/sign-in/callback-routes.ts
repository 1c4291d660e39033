import type { Log } from '../../../../base/index.ts';
import type { HttpRoute } from '../../../../operations/index.ts';
import type { McpOAuth, OAuthSelf } from '../../../../protocols/mcp-oauth/contract.ts';
import { outcomePage, PAGE_HEADERS } from './sign-in-page.ts';
import type { SignIns } from './sign-ins.ts';

/** Where browsers come back from authorization servers. */
export const CALLBACK_PATH = '/v1/oauth/callback';
/** The client metadata document, whose address is the client id. */
export const DOCUMENT_PATH = '/v1/oauth/client-metadata.json';

interface CallbackRoutesDeps {
  readonly signIns: Pick<SignIns, 'complete'>;
  readonly oauth: Pick<McpOAuth, 'document'>;
  readonly self: () => OAuthSelf;
  readonly log: Pick<Log, 'warn'>;
}

/** `GET /v1/oauth/callback` and the client metadata document. Neither needs a credential: the state in the address is one. */
export const callbackRoutes = ({ signIns, oauth, self, log }: CallbackRoutesDeps): readonly HttpRoute[] => [
  {
    method: 'GET',
    pattern: CALLBACK_PATH,
    authenticated: false,
    handle: async (exchange) => {
      const { query } = exchange;
      const outcome = await signIns.complete({
        state: query.get('state') ?? '',
        code: query.get('code') ?? '',
        iss: query.get('iss') ?? undefined,
        error: query.get('error') ?? '',
      });
      if (outcome.kind === 'failed') {
        const { kind, message } = outcome.failure;
        log.warn('a sign-in to an MCP server failed', { server: outcome.server, kind, reason: message });
      }
      const { status, html } = outcomePage(outcome);
      exchange.answer(status, PAGE_HEADERS, html);
    },
  },
  {
    method: 'GET',
    pattern: DOCUMENT_PATH,
    authenticated: false,
    handle: async (exchange) => {
      const headers = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };
      exchange.answer(200, headers, JSON.stringify(oauth.document(self())));
    },
  },
];
