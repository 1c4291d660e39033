import { silentLog, systemClock } from '../../../base/index.ts';
import { createMcpOAuth, type OAuthTokens } from '../../mcp-oauth/index.ts';
import { createMcpConnector } from '../connector.ts';
import type { McpQuestion, McpReply } from '../contract.ts';

/** The client that the conformance suite of the protocol drives: it lists the tools of the server and calls each. */
const url = process.argv.at(-1) ?? '';
const signal = AbortSignal.timeout(25_000);

/** Sample arguments by the names that the scenarios use. */
const INPUT = { a: 5, b: 3 };

/** What a person would have filled in: the defaults of the form. */
const reply = ({ schema }: McpQuestion): McpReply => {
  const properties = Object.entries(
    (schema['properties'] ?? {}) as Readonly<Record<string, { readonly default?: unknown }>>,
  );
  const filled = properties.filter(([, property]) => property.default !== undefined);
  return { action: 'accept', content: Object.fromEntries(filled.map(([name, property]) => [name, property.default])) };
};

const oauth = createMcpOAuth({ fetch: () => fetch, clock: systemClock });
const self = {
  redirectUrl: 'http://localhost:3000/callback',
  /** The address that the suite serves such a document for. */
  documentUrl: 'https://conformance-test.local/client-metadata.json',
  softwareVersion: '0',
};
let tokens: OAuthTokens | undefined;

/** Signs in as a person does whose browser is sent back at once. */
const signIn = async (): Promise<void> => {
  const reach = { isTrusted: false, signal };
  const place = await oauth.discover({ url, headers: {} }, reach);
  const client = oauth.documentIdentity(place, self) ?? (await oauth.register(place, self, reach));
  const { redirectUrl } = self;
  const begun = await oauth.begin(place, client, { redirectUrl, state: 'state' });
  const { headers } = await fetch(begun.url, { redirect: 'manual' });
  const query = new URL(headers.get('location') ?? '', url).searchParams;
  const answer = { code: query.get('code') ?? '', iss: query.get('iss') ?? undefined };
  tokens = await oauth.exchange(place, client, { ...answer, ...reach, verifier: begun.verifier, redirectUrl });
};

const authorization = { token: async () => tokens?.accessToken ?? '', rejected: signIn };
const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
const target = { transport: 'http', url, headers: {}, isTrusted: false } as const;
const connection = await connector.connect(target, { era: 'auto', signal, authorization });
for (const { name, inputSchema } of await connection.tools(signal)) {
  const known = Object.keys((inputSchema['properties'] ?? {}) as object);
  const input = Object.fromEntries(Object.entries(INPUT).filter(([key]) => known.includes(key)));
  await connection.call({ tool: name, input, meta: {}, signal, progress: () => undefined, reply });
}
await connection.close();
